#include "lake/config/declaration.h"

#include <fmt/format.h>

namespace tidemark::lake {

std::string AcceptedWords(const Declaration& declaration) {
  if (!declaration.accepted.empty()) return std::string(declaration.accepted);
  if (declaration.max != 0) {
    return fmt::format("a whole number from {} to {}", declaration.min, declaration.max);
  }
  std::string all;
  for (const auto& word : declaration.words) {
    if (!word.text.empty()) all += (all.empty() ? "" : ", ") + std::string(word.text);
  }
  return all;
}

}  // namespace tidemark::lake

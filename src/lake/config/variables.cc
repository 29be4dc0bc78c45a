#include "lake/config/variables.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <utility>

namespace tidemark::lake {

namespace {

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n\v\f";
  const auto first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

}  // namespace

Environment ProcessEnvironment() {
  Environment environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const auto equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    environment.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return environment;
}

bool SameSpelling(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

std::string Variables::Text(std::string_view name, std::string_view otherwise) const {
  const auto found = environment_.find(name);
  const auto text = found == environment_.end() ? std::string_view() : Trim(found->second);
  return std::string(text.empty() ? otherwise : text);
}

std::string Variables::Required(std::string_view name, std::string_view accepted) {
  std::string text = Text(name);
  if (text.empty()) Refuse(fmt::format("{} is not set; accepted is {}", name, accepted));
  return text;
}

std::int64_t Variables::Number(std::string_view name,
                               std::int64_t otherwise,
                               std::int64_t min,
                               std::int64_t max) {
  const std::string text = Text(name);
  if (text.empty()) return otherwise;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < min || number > max) {
    Refuse(name, text, fmt::format("a whole number from {} to {}", min, max));
    return otherwise;
  }
  return number;
}

void Variables::Refuse(std::string_view name, std::string_view value, std::string_view accepted) {
  Refuse(fmt::format("{} is \"{}\"; accepted is {}", name, value, accepted));
}

void Variables::Refuse(std::string sentence) {
  if (status_) status_ = Fail(ErrorCode::kInvalidArgument, std::move(sentence));
}

}  // namespace tidemark::lake

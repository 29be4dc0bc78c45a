#pragma once
// Reading environment variables by the rules of queen-interface 12: values are trimmed, blank is
// unset, spellings are case-insensitive, a bad value is an error and never a silent default.

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace tidemark::lake {

using Environment = std::map<std::string, std::string, std::less<>>;

// The process's own. Before other threads start.
Environment ProcessEnvironment();

// One accepted spelling. The first of a value is its name; later ones are aliases.
template <typename T>
struct Spelling {
  std::string_view text;
  T value;
};

// Reads one variable after the other; the first bad one is kept and is what status() says, in one
// sentence with the variable, its value and what is accepted (kInvalidArgument). After it, defaults
// come back.
class Variables {
 public:
  // `environment` outlives it.
  explicit Variables(const Environment& environment) : environment_(environment) {}

  // Trimmed; `otherwise` when unset or blank.
  std::string Text(std::string_view name, std::string_view otherwise = "") const;

  bool IsSet(std::string_view name) const { return !Text(name).empty(); }

  // As Text, but unset is an error; `accepted` says what it should be.
  std::string Required(std::string_view name, std::string_view accepted);

  // A whole number in [min, max].
  std::int64_t Number(std::string_view name,
                      std::int64_t otherwise,
                      std::int64_t min,
                      std::int64_t max);

  template <typename T, std::size_t N>
  T OneOf(std::string_view name, const std::array<Spelling<T>, N>& spellings, T otherwise);

  // Keeps the error, unless one is kept already. `value` may not be a secret.
  void Refuse(std::string_view name, std::string_view value, std::string_view accepted);
  void Refuse(std::string sentence);

  const Status& status() const { return status_; }

 private:
  const Environment& environment_;
  Status status_;
};

// Equal but for the case of ASCII letters.
bool SameSpelling(std::string_view a, std::string_view b);

template <typename T, std::size_t N>
T Variables::OneOf(std::string_view name,
                   const std::array<Spelling<T>, N>& spellings,
                   T otherwise) {
  const std::string text = Text(name);
  if (text.empty()) return otherwise;
  std::string accepted;
  for (const auto& [spelling, value] : spellings) {
    if (SameSpelling(text, spelling)) return value;
    accepted += (accepted.empty() ? "" : ", ") + std::string(spelling);
  }
  Refuse(name, text, accepted);
  return otherwise;
}

}  // namespace tidemark::lake

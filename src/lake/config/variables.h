#pragma once
// Reading environment variables by the rules of queen-interface 12: values are trimmed, blank is
// unset, spellings are case-insensitive, a bad value is an error and never a silent default.

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "lake/config/declaration.h"

namespace tidemark::lake {

using Environment = std::map<std::string, std::string, std::less<>>;

// The process's own. Before other threads start.
Environment ProcessEnvironment();

// Reads one variable after the other; the first bad one is kept and is what status() says, in one
// sentence with the variable, its value and what is accepted (kInvalidArgument). Only declared
// variables are read (declared_list.h).
class Variables {
 public:
  // `environment` outlives it.
  explicit Variables(const Environment& environment) : environment_(environment) {}

  // Trimmed; what the declaration stands in for an unset or blank one.
  std::string Text(const Declaration& declaration) const;

  bool IsSet(const Declaration& declaration) const;

  // As Text, but unset is an error.
  std::string Required(const Declaration& declaration);

  // A whole number within the declared range.
  std::int64_t Number(const Declaration& declaration);

  // T{} when unset and nothing stands in for it.
  template <typename T, std::size_t N>
  T OneOf(const Choice<T, N>& choice);

  // Keeps the error, unless one is kept already. `value` may not be a secret; `why` says what is
  // wrong with it where that helps.
  void Refuse(const Declaration& declaration, std::string_view value, std::string_view why = {});
  void Refuse(std::string sentence);

  const Status& status() const { return status_; }

 private:
  const Environment& environment_;
  Status status_;
};

// Equal but for the case of ASCII letters.
bool SameSpelling(std::string_view a, std::string_view b);

template <typename T, std::size_t N>
T Variables::OneOf(const Choice<T, N>& choice) {
  const std::string text = Text(choice);
  if (text.empty()) return T{};
  for (const auto& [spelling, value] : choice.spellings) {
    if (SameSpelling(text, spelling)) return value;
  }
  Refuse(choice, text);
  return T{};
}

}  // namespace tidemark::lake

#include "lake/config/variables.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <utility>

#include "base/check.h"
#include "lake/config/declared_list.h"

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

std::string Variables::Text(const Declaration& declaration) const {
  TIDEMARK_CHECK(std::ranges::find(kDeclared, &declaration) != kDeclared.end(),
                 "{} is not in kDeclared",
                 declaration.name);
  const auto found = environment_.find(declaration.name);
  const auto text = found == environment_.end() ? std::string_view() : Trim(found->second);
  return std::string(text.empty() ? declaration.otherwise : text);
}

bool Variables::IsSet(const Declaration& declaration) const {
  const auto found = environment_.find(declaration.name);
  return found != environment_.end() && !Trim(found->second).empty();
}

std::string Variables::Required(const Declaration& declaration) {
  std::string text = Text(declaration);
  if (text.empty()) {
    Refuse(
        fmt::format("{} is not set; accepted is {}", declaration.name, AcceptedWords(declaration)));
  }
  return text;
}

std::int64_t Variables::Number(const Declaration& declaration) {
  const std::string text = Text(declaration);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  if (whole && number >= declaration.min && number <= declaration.max) return number;
  Refuse(declaration, text);
  return 0;
}

void Variables::Refuse(const Declaration& declaration,
                       std::string_view value,
                       std::string_view why) {
  Refuse(fmt::format("{} is \"{}\"; accepted is {}{}{}",
                     declaration.name,
                     value,
                     AcceptedWords(declaration),
                     why.empty() ? "" : ": ",
                     why));
}

void Variables::Refuse(std::string sentence) {
  if (status_) status_ = Fail(ErrorCode::kInvalidArgument, std::move(sentence));
}

}  // namespace tidemark::lake

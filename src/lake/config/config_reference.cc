#include "lake/config/config_reference.h"

#include <fmt/format.h>

#include <string_view>

#include "lake/config/declared_list.h"

namespace tidemark::lake {

namespace {

constexpr std::string_view kHead =
    R"(<!-- Made by `tidemark lake --print-config-reference`; a test compares. Edit src/lake/config/declared.h. -->
# Configuration of `tidemark lake`

By environment variables alone, read once at the start. Values are trimmed, a blank one is as good as unset, spellings
are case-insensitive. A bad value ends the program with exit code 2 and a sentence that names the variable, the value and
what is accepted; a set `QUEEN_S3_` variable that is not on this page is a warning. `tidemark lake --check` shows what
is in effect and tries broker and bucket.

Names, ranges and defaults are those of queen-s3 1.5.0; **+** marks what Tidemark adds.
)";

std::string DefaultCell(const Declaration& declaration) {
  if (!declaration.otherwise_words.empty()) return std::string(declaration.otherwise_words);
  return declaration.otherwise.empty() ? "unset" : fmt::format("`{}`", declaration.otherwise);
}

// `name` (`alias`, `alias`), `name`.
std::string WordsCell(const Words& words) {
  std::string cell;
  bool in_aliases = false;
  for (const auto& word : words) {
    if (word.text.empty()) break;
    if (in_aliases && !word.is_alias) cell += ")";
    if (!cell.empty()) cell += word.is_alias && !in_aliases ? " (" : ", ";
    in_aliases = word.is_alias;
    cell += fmt::format("`{}`", word.text);
  }
  return in_aliases ? cell + ")" : cell;
}

std::string AcceptedCell(const Declaration& declaration) {
  const bool is_choice = !declaration.words.front().text.empty();
  if (is_choice) return WordsCell(declaration.words);
  return declaration.max == 0 ? AcceptedWords(declaration)
                              : fmt::format("{} to {}", declaration.min, declaration.max);
}

}  // namespace

std::string ConfigReference() {
  std::string page(kHead);
  std::string_view group;
  for (const Declaration* variable : kDeclared) {
    if (variable->group != group) {
      group = variable->group;
      page += fmt::format(
          "\n## {}\n\n| variable | type | default | accepted | what it does "
          "|\n|---|---|---|---|---|\n",
          group);
    }
    page += fmt::format("| `{}`{} | {} | {} | {} | {} |\n",
                        variable->name,
                        variable->origin == Origin::kTidemark ? " **+**" : "",
                        variable->type,
                        DefaultCell(*variable),
                        AcceptedCell(*variable),
                        variable->about);
  }
  return page;
}

}  // namespace tidemark::lake

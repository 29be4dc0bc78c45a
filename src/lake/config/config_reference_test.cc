#include "lake/config/config_reference.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "lake/config/declared_list.h"

namespace tidemark::lake {
namespace {

std::string RowOf(const std::string& name) {
  const std::string page = ConfigReference();
  const auto at = page.find("| `" + name + "`");
  return at == std::string::npos ? "" : page.substr(at, page.find('\n', at) - at);
}

TEST(ConfigReference, HasOneRowForEachVariable) {
  std::set<std::string_view> names;
  for (const auto* variable : kDeclared) {
    EXPECT_TRUE(names.insert(variable->name).second) << variable->name << " is declared twice";
    EXPECT_NE(RowOf(std::string(variable->name)), "") << variable->name;
    EXPECT_FALSE(variable->about.empty()) << variable->name;
    EXPECT_FALSE(AcceptedWords(*variable).empty()) << variable->name;
  }
}

TEST(ConfigReference, ANumberShowsItsRangeAndDefault) {
  EXPECT_TRUE(RowOf("QUEEN_S3_TARGET_MB")
                  .starts_with("| `QUEEN_S3_TARGET_MB` | MiB | `128` | 1 to 5120 | Weight"));
}

TEST(ConfigReference, AliasesStandBehindTheName) {
  EXPECT_NE(RowOf("QUEEN_S3_FORMAT").find(" | `jsonl` (`json`, `ndjson`), `parquet` | "),
            std::string::npos);
  EXPECT_NE(RowOf("QUEEN_S3_SSE").find(" | `AES256`, `aws:kms` (`kms`) | "), std::string::npos);
}

TEST(ConfigReference, MarksWhatIsOurs) {
  EXPECT_TRUE(RowOf("QUEEN_S3_CA_FILE").starts_with("| `QUEEN_S3_CA_FILE` **+** |"));
  EXPECT_TRUE(RowOf("QUEEN_S3_SINK").starts_with("| `QUEEN_S3_SINK` |"));
}

TEST(ConfigReference, NoCellBreaksItsTable) {
  for (const auto* variable : kDeclared) {
    for (const auto cell : {variable->about, variable->accepted, variable->otherwise_words}) {
      EXPECT_EQ(cell.find_first_of("|\n"), std::string_view::npos) << variable->name;
    }
  }
}

}  // namespace
}  // namespace tidemark::lake

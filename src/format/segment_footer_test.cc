#include "format/segment_footer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tidemark::format {
namespace {

using ::testing::HasSubstr;

SegmentFooter Footer() {
  return {.dataset = "telemetry",
          .schema_fp = "ab",
          .range = {Position(1), Position(20)},
          .config_hash = "cd",
          .enrichment_hash = "",
          .clock_synced = true,
          .event_time_min = Micros(-5),
          .event_time_max = Micros(7)};
}

TEST(SegmentFooter, HasTheKeysOfTheContract) {
  const FooterPairs expected = {{"thadam.version", "1"},
                                {"thadam.dataset", "telemetry"},
                                {"thadam.schema_fp", "ab"},
                                {"thadam.wal_range", "1-20"},
                                {"thadam.config_hash", "cd"},
                                {"thadam.enrichment_hash", ""},
                                {"thadam.clock_synced", "true"},
                                {"thadam.event_time_min", "-5"},
                                {"thadam.event_time_max", "7"}};
  EXPECT_EQ(EncodeFooter(Footer()), expected);
}

TEST(SegmentFooter, LeavesEventTimesOutWhereThereAreNone) {
  SegmentFooter footer = Footer();
  footer.event_time_min = footer.event_time_max = std::nullopt;
  EXPECT_EQ(EncodeFooter(footer).size(), 7);
  EXPECT_EQ(DecodeFooter(EncodeFooter(footer)).value(), footer);
}

TEST(SegmentFooter, IsReadBackAmongOtherKeys) {
  auto pairs = EncodeFooter(Footer());
  pairs.emplace_back("someone", "else");
  EXPECT_EQ(DecodeFooter(pairs).value(), Footer());
}

TEST(SegmentFooter, NamesTheKeyThatIsMissing) {
  auto pairs = EncodeFooter(Footer());
  pairs.erase(pairs.begin() + 3);
  EXPECT_THAT(DecodeFooter(pairs).error().message, HasSubstr("thadam.wal_range"));
}

class BadFooter : public ::testing::TestWithParam<std::pair<int, const char*>> {};

TEST_P(BadFooter, IsCorruption) {
  auto pairs = EncodeFooter(Footer());
  pairs[static_cast<std::size_t>(GetParam().first)].second = GetParam().second;
  EXPECT_EQ(DecodeFooter(pairs).error().code, ErrorCode::kCorruption);
}

INSTANTIATE_TEST_SUITE_P(Values,
                         BadFooter,
                         ::testing::Values(std::pair{0, "2"},
                                           std::pair{3, "1"},
                                           std::pair{3, "0-5"},
                                           std::pair{3, "9-5"},
                                           std::pair{3, "1-5x"},
                                           std::pair{6, "yes"},
                                           std::pair{7, "soon"}));

}  // namespace
}  // namespace tidemark::format

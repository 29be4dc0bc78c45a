#include "format/segment_name.h"

#include <gtest/gtest.h>

namespace tidemark::format {
namespace {

const SegmentName kName{
    .node = "gw_01", .epoch = Epoch(0x5f3c), .range = {Position(1), Position(200)}};
constexpr char kFileName[] =
    "gw_01_0000000000005f3c_00000000000000000001_00000000000000000200.parquet";

TEST(SegmentFileName, PadsEpochAndPositions) { EXPECT_EQ(SegmentFileName(kName), kFileName); }

TEST(SegmentFileName, IsReadBackWhateverTheNodeIsCalled) {
  EXPECT_EQ(ParseSegmentFileName(kFileName).value(), kName);
}

TEST(SegmentFileName, RefusesEverythingElse) {
  for (const char* text :
       {"",
        "x.parquet",
        "gw_5f3c_1_200.parquet",
        "gw_0000000000005f3c_00000000000000000001_00000000000000000200.parquet.x",
        "gw_0000000000005F3C_00000000000000000001_00000000000000000200.parquet",
        "gw_0000000000005f3c_00000000000000000201_00000000000000000200.parquet",
        "a/b_0000000000005f3c_00000000000000000001_00000000000000000200.parquet",
        "_0000000000005f3c_00000000000000000001_00000000000000000200.parquet"}) {
    const auto name = ParseSegmentFileName(text);
    ASSERT_FALSE(name) << text;
    EXPECT_EQ(name.error().code, ErrorCode::kInvalidArgument) << text;
  }
}

TEST(SegmentFolder, FollowsTheHourOfTheIngestTime) {
  EXPECT_EQ(SegmentFolder("telemetry", ParseIso("2026-11-30T09:59:59.999999Z").value(), true),
            "telemetry/date=2026-11-30/hour=09");
}

TEST(SegmentFolder, KeepsFilesOfAnUnsureClockApart) {
  EXPECT_EQ(SegmentFolder("telemetry", Micros(0), false), "telemetry/unsynced");
}

TEST(DatasetFolder, NamesVersionsFromTheSecondOn) {
  EXPECT_EQ(DatasetFolder("telemetry", 1), "telemetry");
  EXPECT_EQ(DatasetFolder("telemetry", 2), "telemetry.v2");
}

}  // namespace
}  // namespace tidemark::format

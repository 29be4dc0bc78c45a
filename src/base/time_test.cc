#include "base/time.h"

#include <gtest/gtest.h>

namespace tidemark {
namespace {

TEST(ParseIso, GoldenValues) {
  EXPECT_EQ(ParseIso("2026-09-04T00:00:00Z")->value(), 1788480000000000);
  EXPECT_EQ(ParseIso("2026-09-04T10:00:00Z")->value(), 1788516000000000);
}

TEST(ParseIso, ScalesShortFractions) {
  EXPECT_EQ(ParseIso("1970-01-01T00:00:00.5Z")->value(), 500000);
}

TEST(FormatIso, BelowTheEpoch) { EXPECT_EQ(FormatIso(Micros(-1)), "1969-12-31T23:59:59.999999Z"); }

class IsoRoundTrip : public testing::TestWithParam<const char*> {};

TEST_P(IsoRoundTrip, KeepsTheText) { EXPECT_EQ(FormatIso(*ParseIso(GetParam())), GetParam()); }

INSTANTIATE_TEST_SUITE_P(Times,
                         IsoRoundTrip,
                         testing::Values("0001-01-01T00:00:00.000000Z",
                                         "2024-02-29T23:59:59.999999Z",
                                         "1900-03-01T12:34:56.000001Z",
                                         "9999-12-31T23:59:59.999999Z"));

class BadIso : public testing::TestWithParam<const char*> {};

TEST_P(BadIso, IsRefusedByName) {
  const auto parsed = ParseIso(GetParam());
  ASSERT_FALSE(parsed.has_value());
  EXPECT_EQ(parsed.error().code, ErrorCode::kInvalidArgument);
  EXPECT_NE(parsed.error().message.find(GetParam()), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Times,
                         BadIso,
                         testing::Values("2026-09-04T10:00:00+00:00",
                                         "2026-09-04 10:00:00Z",
                                         "2026-09-04T10:00:00.1234567Z",
                                         "2026-13-04T10:00:00Z",
                                         "2026-02-30T10:00:00Z",
                                         "2026-09-04T10:00:00",
                                         "2026-09-04T10:00:60Z",
                                         "2026-09-04T10:00:00.Z",
                                         ""));

TEST(FloorTo, IsExactBelowTheEpoch) {
  EXPECT_EQ(FloorTo(Micros(-1), kMicrosPerHour).value(), -kMicrosPerHour);
  EXPECT_EQ(FloorTo(Micros(-kMicrosPerHour), kMicrosPerHour).value(), -kMicrosPerHour);
}

TEST(NextMultiple, IsStrictlyAbove) {
  EXPECT_EQ(NextMultiple(Micros(0), kMicrosPerHour).value(), kMicrosPerHour);
  EXPECT_EQ(NextMultiple(Micros(-1), kMicrosPerHour).value(), 0);
}

TEST(DateHourOf, NamesTheUtcHour) {
  const auto at = DateHourOf(*ParseIso("2026-09-04T10:59:59.999999Z"));
  EXPECT_EQ(at.year, 2026);
  EXPECT_EQ(at.month, 9);
  EXPECT_EQ(at.day, 4);
  EXPECT_EQ(at.hour, 10);
}

}  // namespace
}  // namespace tidemark

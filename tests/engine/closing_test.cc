// When a window closes and where: one situation each (queen-interface 4.3 and the decisions on
// triggers).

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/engine_rig.h"

namespace tidemark::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const std::vector<std::string> kOne{"1"};

lake::EngineStart From(const std::string& time) {
  lake::EngineStart start;
  start.t_prev = At(time);
  return start;
}

TEST(Closing, AnAlignedIntervalClosesAtItsBoundary) {
  EngineRig rig(From("10:00:00"), NoGuard());
  rig.log().Append("orders", "a", At("10:10:00"), kOne);
  rig.log().Append("orders", "a", At("11:10:00"), kOne);
  rig.log().PinSafeTime(At("11:12:00"));
  rig.Settle();
  ASSERT_THAT(rig.windows(), SizeIs(2));
  EXPECT_EQ(rig.windows()[0].window,
            (format::Window{format::WindowNumber(1), At("10:00:00"), At("11:00:00")}));
}

TEST(Closing, NeverAboveSafeTimeMinusGuard) {
  lake::ClosingRules rules;
  rules.guard_us = 10 * kMicrosPerSecond;
  EngineRig rig(From("10:00:00"), rules);
  rig.log().Append("orders", "a", At("10:10:00"), kOne);
  rig.log().PinSafeTime(At("10:10:05"));
  rig.Settle();
  EXPECT_THAT(rig.windows(), IsEmpty());
  rig.log().PinSafeTime(At("10:10:20"));
  rig.Settle();
  ASSERT_THAT(rig.windows(), SizeIs(1));
  EXPECT_EQ(rig.windows()[0].window.end, At("10:10:10"));
}

TEST(Closing, AYoungOpenIntervalWaits) {
  EngineRig rig(From("10:00:00"), NoGuard());
  rig.log().Append("orders", "a", At("10:01:00"), kOne);
  rig.log().PinSafeTime(At("10:04:59"));
  rig.Settle();
  EXPECT_THAT(rig.windows(), IsEmpty());
}

TEST(Closing, AnAgedOpenIntervalClosesAtTheCap) {
  EngineRig rig(From("10:00:00"), NoGuard());
  rig.log().Append("orders", "a", At("10:01:00"), kOne);
  rig.log().PinSafeTime(At("10:05:00"));
  rig.Settle();
  ASSERT_THAT(rig.windows(), SizeIs(1));
  EXPECT_EQ(rig.windows()[0].window.end, At("10:05:00"));
}

TEST(Closing, EmptyHoursGetNoWindow) {
  EngineRig rig(From("10:00:00"), NoGuard());
  rig.log().Append("orders", "a", At("15:30:00"), kOne);
  rig.log().PinSafeTime(At("16:01:00"));
  rig.Settle();
  ASSERT_THAT(rig.windows(), SizeIs(1));
  EXPECT_EQ(rig.windows()[0].window,
            (format::Window{format::WindowNumber(1), At("15:00:00"), At("16:00:00")}));
}

TEST(Closing, NothingAtAllIsNoWindow) {
  EngineRig rig(From("10:00:00"), NoGuard());
  rig.log().PinSafeTime(At("18:00:00"));
  rig.Settle();
  EXPECT_THAT(rig.windows(), IsEmpty());
  EXPECT_EQ(rig.engine().CompleteThrough(), At("18:00:00"));
}

TEST(Closing, EarliestStartsAtTheFirstRecordsHour) {
  EngineRig rig({}, NoGuard());
  rig.log().Append("orders", "a", At("10:20:00"), kOne);
  rig.log().PinSafeTime(At("11:00:00"));
  rig.Settle();
  ASSERT_THAT(rig.windows(), SizeIs(1));
  EXPECT_EQ(rig.windows()[0].window.start, At("10:00:00"));
}

TEST(Closing, BySizeEndsOnARecordsTimestamp) {
  auto rules = NoGuard();
  rules.target_bytes = 150;  // a record here weighs 64 + 3 + 1 + 1 = 69
  EngineRig rig(From("10:00:00"), rules);
  for (const char* time : {"10:00:01", "10:00:02", "10:00:03", "10:00:04", "10:00:05"}) {
    rig.log().Append("orders", "a", At(time), kOne);
  }
  rig.log().PinSafeTime(At("10:00:06"));
  rig.Settle();
  ASSERT_THAT(rig.windows(), SizeIs(1));
  EXPECT_EQ(rig.windows()[0].window.end, At("10:00:04"));
  EXPECT_THAT(rig.windows()[0].rows, SizeIs(3));
}

TEST(Closing, BySizeNeverSplitsATimestamp) {
  auto rules = NoGuard();
  rules.target_bytes = 100;
  EngineRig rig(From("10:00:00"), rules);
  rig.log().Append("orders", "a", At("10:00:01"), {"1", "2", "3", "4", "5"});
  rig.log().Append("orders", "a", At("10:00:02"), kOne);
  rig.log().PinSafeTime(At("10:00:03"));
  rig.Settle();
  ASSERT_THAT(rig.windows(), SizeIs(1));
  EXPECT_THAT(rig.windows()[0].rows, SizeIs(5));
}

TEST(Closing, BySizeAtTheLastTimestampOfAQuietLogEndsAtTheCap) {
  auto rules = NoGuard();
  rules.target_bytes = 100;
  EngineRig rig(From("10:00:00"), rules);
  rig.log().Append("orders", "a", At("10:00:01"), {"1", "2"});
  rig.log().PinSafeTime(At("10:00:03"));
  rig.Settle();
  ASSERT_THAT(rig.windows(), SizeIs(1));
  EXPECT_EQ(rig.windows()[0].window.end, At("10:00:03"));
}

TEST(Closing, WithoutAlignmentABacklogIsCutOnAGrid) {
  auto rules = NoGuard();
  rules.align = format::Align::kNone;
  rules.window_us_max = 60 * kMicrosPerSecond;
  EngineRig rig(From("10:00:00"), rules);
  rig.log().Append("orders", "a", At("10:00:30"), kOne);
  rig.log().Append("orders", "a", At("10:05:30"), kOne);
  rig.log().Append("orders", "a", At("10:30:00"), kOne);
  rig.log().PinSafeTime(At("10:30:00"));
  rig.Settle();
  ASSERT_THAT(rig.windows(), SizeIs(2));
  EXPECT_EQ(rig.windows()[0].window.end, At("10:01:00"));
  EXPECT_EQ(rig.windows()[1].window,
            (format::Window{format::WindowNumber(2), At("10:01:00"), At("10:06:00")}));
}

TEST(Closing, ALaneThatCannotBeReadHoldsTheWindowOpen) {
  EngineRig rig(From("10:00:00"), NoGuard());
  rig.log().Append("orders", "a", At("10:10:00"), kOne);
  rig.log().PinSafeTime(At("11:12:00"));
  rig.FailFetches();
  rig.Settle();
  EXPECT_THAT(rig.windows(), IsEmpty());
  rig.HealFetches();
  rig.Settle();
  EXPECT_THAT(rig.windows(), SizeIs(1));
}

TEST(Closing, ALaneBornAfterTheLastCompletePassIsInALaterWindow) {
  EngineRig rig(From("10:00:00"), NoGuard());
  rig.log().Append("orders", "a", At("10:10:00"), kOne);
  rig.log().PinSafeTime(At("10:30:00"));
  rig.Settle();
  rig.log().Append("orders", "b", At("10:40:00"), kOne);
  rig.log().Append("orders", "a", At("10:50:00"), kOne);
  rig.log().PinSafeTime(At("11:00:00"));
  rig.Settle();
  rig.log().PinSafeTime(At("12:00:00"));
  rig.Settle();
  EXPECT_THAT(rig.rows(), SizeIs(3));
}

TEST(Closing, AForcedCloseStaysLegal) {
  EngineRig rig(From("10:00:00"), NoGuard());
  rig.log().Append("orders", "a", At("10:00:10"), kOne);
  rig.log().Append("orders", "a", At("10:00:30"), kOne);
  rig.log().PinSafeTime(At("10:00:20"));
  rig.Settle();
  rig.engine().RequestClose();
  rig.Poll();
  ASSERT_THAT(rig.windows(), SizeIs(1));
  EXPECT_EQ(rig.windows()[0].window.end, At("10:00:20"));
  EXPECT_THAT(rig.windows()[0].rows, SizeIs(1));
}

TEST(Closing, RowsAreOrderedByNameBytesAndOffset) {
  EngineRig rig(From("10:00:00"), NoGuard());
  rig.log().Append("orders", "b", At("10:00:10"), {"1", "2"});
  rig.log().Append("orders", "\xC3\xA9", At("10:00:11"), kOne);
  rig.log().Append("orders", "B", At("10:00:12"), kOne);
  rig.log().PinSafeTime(At("11:00:00"));
  rig.Settle();
  ASSERT_THAT(rig.windows(), SizeIs(1));
  std::vector<std::string> names;
  for (const auto& row : rig.rows()) names.push_back(std::get<0>(row));
  EXPECT_THAT(names, ElementsAre("B", "b", "b", "\xC3\xA9"));
}

}  // namespace
}  // namespace tidemark::testing

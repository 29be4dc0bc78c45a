// Which offsets are told lost, by which window, and when the engine asks before it tells (decision
// 8).

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/engine_rig.h"

namespace tidemark::testing {
namespace {

using format::LostRange;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* kQueue = "orders";
using Position = format::Checkpoint::Position;

// Window `k` is committed up to 10:00, the checkpoint is `age` windows older.
lake::EngineStart Committed(std::int64_t k, std::int64_t age, std::vector<Position> positions) {
  lake::EngineStart start;
  start.committed_k = format::WindowNumber(k);
  start.t_prev = At("10:00:00");
  start.checkpoint = format::Checkpoint{.k = start.committed_k - age,
                                        .t_end = At("10:00:00") - age * kMicrosPerHour,
                                        .positions = std::move(positions)};
  return start;
}

// Offsets 0 .. 2 of 09:10, 3 .. 5 of 10:10, 6 .. 8 of 10:20.
void PushNine(EngineRig& rig, const std::string& lane = "a") {
  for (const char* time : {"09:10:00", "10:10:00", "10:20:00"}) {
    rig.log().Append(kQueue, lane, At(time), {"1", "2", "3"});
  }
  rig.log().PinSafeTime(At("11:00:00"));
}

TEST(EngineLoss, OfAnOldCheckpointIsNotToldBeforeAnAudit) {
  EngineRig rig(Committed(3, 2, {{"a", Offset(0)}}), NoGuard());
  PushNine(rig);
  rig.log().DropBefore(kQueue, "a", Offset(6));
  rig.SetShipped({{"a", Offset(3)}});
  rig.Settle();
  EXPECT_THAT(rig.audited(), ElementsAre("a"));
  ASSERT_THAT(rig.windows(), SizeIs(1));
  EXPECT_THAT(rig.windows()[0].lost, ElementsAre(LostRange{"a", Offset(3), Offset(5)}));
}

TEST(EngineLoss, IsWholeWhenNothingOfItWasShipped) {
  EngineRig rig(Committed(3, 2, {{"a", Offset(0)}}), NoGuard());
  PushNine(rig);
  rig.log().DropBefore(kQueue, "a", Offset(6));
  rig.Settle();
  EXPECT_THAT(rig.windows()[0].lost, ElementsAre(LostRange{"a", Offset(0), Offset(5)}));
}

TEST(EngineLoss, NeedsNoAuditWhereARecordOfAnEarlierWindowIsThere) {
  EngineRig rig(Committed(3, 2, {{"a", Offset(0)}}), NoGuard());
  rig.log().Append(kQueue, "a", At("09:00:00"), {"1", "2"});
  PushNine(rig);
  rig.log().DropBefore(kQueue, "a", Offset(2));
  rig.Settle();
  EXPECT_THAT(rig.audited(), IsEmpty());
  EXPECT_THAT(rig.windows()[0].lost, IsEmpty());
}

TEST(EngineLoss, NeedsNoAuditWhenTheCheckpointIsOfTheCommittedWindow) {
  EngineRig rig(Committed(3, 0, {{"a", Offset(3)}}), NoGuard());
  PushNine(rig);
  rig.log().DropBefore(kQueue, "a", Offset(6));
  rig.Settle();
  EXPECT_THAT(rig.audited(), IsEmpty());
  EXPECT_THAT(rig.windows()[0].lost, ElementsAre(LostRange{"a", Offset(3), Offset(5)}));
}

TEST(EngineLoss, HoldsEveryWindowBackUntilTheAuditIsThere) {
  EngineRig rig(Committed(3, 2, {{"a", Offset(0)}, {"b", Offset(3)}}), NoGuard());
  PushNine(rig);
  PushNine(rig, "b");
  rig.log().DropBefore(kQueue, "a", Offset(6));
  rig.engine().OnInterval();
  rig.Poll();
  while (rig.audited().empty()) {
    rig.Answer(0);
    rig.Poll();
  }
  EXPECT_THAT(rig.windows(), IsEmpty());
  rig.engine().RequestClose();
  rig.Poll();
  EXPECT_THAT(rig.windows(), IsEmpty());
  EXPECT_THAT(rig.audited(), SizeIs(1)) << "it is asked once";
  rig.Settle();
  EXPECT_THAT(rig.windows(), SizeIs(1));
}

TEST(EngineLoss, OfALaneYoungerThanTheCheckpointCountsFromItsFirstOffset) {
  EngineRig rig(Committed(3, 0, {}), NoGuard());
  PushNine(rig);
  rig.log().DropBefore(kQueue, "a", Offset(6));
  rig.Settle();
  EXPECT_THAT(rig.windows()[0].lost, ElementsAre(LostRange{"a", Offset(0), Offset(5)}));
}

TEST(EngineLoss, OfALaneThatAppearsLaterCountsFromItsFirstOffset) {
  EngineRig rig({}, NoGuard());
  rig.log().PinSafeTime(At("10:00:00"));
  rig.Settle();
  rig.log().Append(kQueue, "a", At("10:10:00"), {"1", "2"});
  rig.log().Append(kQueue, "a", At("10:20:00"), {"3"});
  rig.log().DropBefore(kQueue, "a", Offset(2));
  rig.log().PinSafeTime(At("11:00:00"));
  rig.Settle();
  EXPECT_THAT(rig.windows()[0].lost, ElementsAre(LostRange{"a", Offset(0), Offset(1)}));
}

// start=earliest: what was gone before the first look never was promised.
TEST(EngineLoss, BeforeTheFirstLookIsNone) {
  EngineRig rig({}, NoGuard());
  PushNine(rig);
  rig.log().DropBefore(kQueue, "a", Offset(6));
  rig.Settle();
  EXPECT_THAT(rig.windows()[0].lost, IsEmpty());
}

// Noticed by discovery while older records of the lane are held: told with them, once.
TEST(EngineLoss, NoticedByDiscoveryIsToldOnce) {
  EngineRig rig(Committed(3, 0, {{"a", Offset(3)}}), NoGuard());
  PushNine(rig);
  rig.log().PinSafeTime(At("10:30:00"));
  rig.Settle();
  rig.log().Append(kQueue, "a", At("10:40:00"), {"1", "2"});
  rig.log().Append(kQueue, "a", At("10:50:00"), {"3"});
  rig.log().DropBefore(kQueue, "a", Offset(11));
  rig.log().PinSafeTime(At("11:00:00"));
  rig.Settle();
  rig.Settle();
  ASSERT_THAT(rig.windows(), SizeIs(2)) << "aged at 10:30, and the rest of the hour";
  EXPECT_THAT(rig.windows()[0].lost, IsEmpty());
  EXPECT_THAT(rig.windows()[1].lost, ElementsAre(LostRange{"a", Offset(9), Offset(10)}));
  EXPECT_EQ(rig.windows()[1].holes, 0);
}

// A hole and a loss in one window: one range each, counted apart.
TEST(EngineLoss, HolesAndRetentionAreCountedApart) {
  EngineRig rig(Committed(3, 0, {{"a", Offset(0)}}), NoGuard());
  rig.log().Append(kQueue, "a", At("10:05:00"), {"1", "2", "3"});
  rig.log().Append(kQueue, "a", At("10:10:00"), {"4"});
  rig.log().Append(kQueue, "a", At("10:11:00"), {"5", "6"});
  rig.log().Append(kQueue, "a", At("10:12:00"), {"7"});
  rig.log().DropBefore(kQueue, "a", Offset(3));
  rig.log().HideSegment(kQueue, "a", Offset(4));
  rig.log().PinSafeTime(At("11:00:00"));
  rig.Settle();
  EXPECT_THAT(
      rig.windows()[0].lost,
      ElementsAre(LostRange{"a", Offset(0), Offset(2)}, LostRange{"a", Offset(4), Offset(5)}));
  EXPECT_EQ(rig.windows()[0].holes, 2);
}

// A lane that is not told yet stays before its loss in the checkpoint: a crash finds it again.
TEST(EngineLoss, IsBehindThePositionUntilAWindowTellsIt) {
  EngineRig rig(Committed(3, 0, {{"a", Offset(9)}}), NoGuard());
  rig.log().Append(kQueue, "a", At("09:10:00"), std::vector<std::string>(9, "1"));
  rig.log().PinSafeTime(At("11:00:00"));
  rig.Settle();
  rig.log().Append(kQueue, "a", At("11:10:00"), {"1", "2"});
  rig.log().DropBefore(kQueue, "a", Offset(11));
  rig.log().PinSafeTime(At("12:00:00"));
  rig.Settle();
  EXPECT_THAT(rig.engine().Positions().positions, ElementsAre(Position{"a", Offset(9)}));
  rig.log().Append(kQueue, "b", At("12:10:00"), {"1"});
  rig.log().PinSafeTime(At("13:00:00"));
  rig.Settle();
  ASSERT_THAT(rig.windows(), SizeIs(1));
  EXPECT_THAT(rig.windows()[0].lost, ElementsAre(LostRange{"a", Offset(9), Offset(10)}));
  EXPECT_THAT(rig.engine().Positions().positions,
              ::testing::UnorderedElementsAre(Position{"a", Offset(11)}, Position{"b", Offset(1)}));
}

// Memory runs out, the newest records are given up and read again, the holes among them too.
TEST(EngineLoss, ReadTwiceIsToldOnce) {
  lake::FetchLimits fetch;
  fetch.concurrency = 2;
  fetch.call_bytes = 64 << 10;
  lake::ClosingRules rules = NoGuard();
  rules.target_bytes = std::int64_t{64} << 20;
  EngineRig rig(Committed(3, 0, {}), rules, fetch, std::int64_t{3} << 20);
  const std::vector<std::string> payloads(3, '"' + std::string(20'000, 'x') + '"');
  std::vector<LostRange> hidden;
  for (int i = 0; i < 150; ++i) {
    const std::string lane = "lane-" + std::to_string(i % 20);
    const Offset at =
        rig.log().Append(kQueue, lane, At("10:00:00") + i * 10 * kMicrosPerSecond, payloads);
    if (i % 7 != 3 || i > 120) continue;
    rig.log().HideSegment(kQueue, lane, at);
    hidden.push_back({lane, at, at + 2});
  }
  rig.log().PinSafeTime(At("12:00:00"));
  rig.Settle();
  std::vector<LostRange> told;
  for (const auto& window : rig.windows()) {
    told.insert(told.end(), window.lost.begin(), window.lost.end());
  }
  EXPECT_EQ(lake::OffsetsIn(told), lake::OffsetsIn(hidden));
  EXPECT_EQ(lake::Normalized(told), lake::Normalized(hidden));
  EXPECT_GT(rig.records_answered(), rig.rows().size()) << "nothing was read twice";
}

}  // namespace
}  // namespace tidemark::testing

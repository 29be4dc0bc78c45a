// Positions, filters, losses, redo: what is read and what is not.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lake/engine/lost_ranges.h"
#include "tests/engine/engine_rig.h"

namespace tidemark::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

lake::EngineStart Committed(std::int64_t k,
                            const std::string& time,
                            std::vector<format::Checkpoint::Position> positions) {
  lake::EngineStart start;
  start.committed_k = format::WindowNumber(k);
  start.t_prev = At(time);
  start.checkpoint = format::Checkpoint{
      .k = start.committed_k, .t_end = start.t_prev, .positions = std::move(positions)};
  return start;
}

TEST(Reading, StartsAtTheCheckpointAndNumbersOn) {
  EngineRig rig(Committed(7, "10:00:00", {{.partition = "a", .next = Offset(2)}}), NoGuard());
  rig.log().Append("orders", "a", At("09:00:00"), {"1", "2"});
  rig.log().Append("orders", "a", At("10:30:00"), {"3"});
  rig.log().PinSafeTime(At("11:00:00"));
  rig.Settle();
  ASSERT_THAT(rig.windows(), SizeIs(1));
  EXPECT_EQ(rig.windows()[0].window.k.value(), 8);
  EXPECT_THAT(rig.rows(), ElementsAre(Row{"a", 2, At("10:30:00").value()}));
  EXPECT_EQ(rig.engine().Stats().dropped_committed, 0);
}

TEST(Reading, AStaleCheckpointCostsReReadBytesOnly) {
  EngineRig rig(Committed(7, "10:00:00", {{.partition = "a", .next = Offset(0)}}), NoGuard());
  rig.log().Append("orders", "a", At("09:00:00"), {"1", "2"});
  rig.log().Append("orders", "a", At("10:30:00"), {"3"});
  rig.log().PinSafeTime(At("11:00:00"));
  rig.Settle();
  EXPECT_THAT(rig.rows(), ElementsAre(Row{"a", 2, At("10:30:00").value()}));
  EXPECT_EQ(rig.engine().Stats().dropped_committed, 2);
}

TEST(Reading, ALaneLastWrittenBeforeTheStartIsNotRead) {
  lake::EngineStart latest;
  latest.t_prev = At("10:00:00");
  EngineRig rig(latest, NoGuard());
  rig.log().Append("orders", "old", At("09:00:00"), {"1"});
  rig.log().PinSafeTime(At("11:00:00"));
  rig.Settle();
  EXPECT_EQ(rig.fetches(), 0);
  EXPECT_EQ(rig.engine().Positions().positions[0].next, Offset(1));
}

TEST(Reading, ALaneWrittenNearTheStartIsReadAndFiltered) {
  lake::EngineStart latest;
  latest.t_prev = At("10:00:00");
  EngineRig rig(latest, NoGuard());
  rig.log().Append("orders", "a", At("09:59:59.5"), {"1"});
  rig.log().Append("orders", "a", At("10:00:00"), {"2"});
  rig.log().PinSafeTime(At("11:00:00"));
  rig.Settle();
  EXPECT_THAT(rig.rows(), ElementsAre(Row{"a", 1, At("10:00:00").value()}));
}

TEST(Reading, ARecordFarLargerThanTheOthersIsReadToo) {
  EngineRig rig({}, NoGuard());
  for (int n = 0; n < 12; ++n) {
    const std::string lane = "lane-" + std::to_string(n);
    rig.log().Append("orders", lane, At("10:00:00"), {"1"});
    rig.log().Append("orders", lane, At("10:00:01"), {'"' + std::string(2 << 20, 'x') + '"'});
  }
  rig.log().PinSafeTime(At("11:00:00"));
  rig.Settle();
  EXPECT_THAT(rig.rows(), ::testing::SizeIs(24));
}

// start=latest over a backlog: the head is close, the beginning is far.
TEST(Reading, ALongLaneIsSoughtAndNotReadFromItsStart) {
  lake::EngineStart latest;
  latest.t_prev = At("10:00:00");
  EngineRig rig(latest, NoGuard());
  const std::vector<std::string> segment(100, "1");
  for (int i = 0; i < 300; ++i) {
    rig.log().Append("orders", "a", At("09:00:00") + i * std::int64_t{12'500'000}, segment);
  }
  rig.log().PinSafeTime(At("11:00:00"));
  rig.Settle();
  ASSERT_THAT(rig.rows(), SizeIs(1'200));
  EXPECT_EQ(rig.rows().front(), (Row{"a", 28'800, At("10:00:00").value()}));
  EXPECT_THAT(rig.windows()[0].lost, IsEmpty());
  EXPECT_LT(rig.engine().Stats().dropped_committed, 1'000);
}

TEST(Reading, ASoughtLaneHoldsItsWindowOpen) {
  lake::EngineStart latest;
  latest.t_prev = At("10:00:00");
  EngineRig rig(latest, NoGuard());
  rig.log().Append("orders", "b", At("10:10:00"), {"1"});
  for (int i = 0; i < 30; ++i) {
    rig.log().Append("orders",
                     "a",
                     At("09:50:00") + i * std::int64_t{60'000'000},
                     std::vector<std::string>(100, "1"));
  }
  rig.log().PinSafeTime(At("11:00:00"));
  rig.engine().OnInterval();
  rig.Poll();
  rig.Answer(0);  // discovery
  EXPECT_TRUE(rig.engine().seeking());
  EXPECT_THAT(rig.windows(), IsEmpty());
  rig.Settle();
  EXPECT_FALSE(rig.engine().seeking());
  EXPECT_THAT(rig.rows(), SizeIs(2'001));
}

// Lost is what the search had found to be wanted: after no probe nothing, after the first the last
// record.
class GoneWhileSought : public ::testing::TestWithParam<int> {
 protected:
  // 3,000 records of lane a, one of lane b, and as many probes.
  GoneWhileSought() {
    rig_.log().Append("orders", "a", At("10:05:00"), std::vector<std::string>(3'000, "1"));
    rig_.log().Append("orders", "b", At("10:10:00"), {"1"});
    rig_.log().PinSafeTime(At("11:00:00"));
    rig_.engine().OnInterval();
    rig_.Poll();
    rig_.Answer(0);  // discovery
    for (int probe = 0; probe < GetParam(); ++probe) {
      rig_.Poll();
      rig_.Answer(0);
    }
    EXPECT_TRUE(rig_.engine().seeking());
  }

  void ExpectLost() {
    rig_.Settle();
    EXPECT_FALSE(rig_.engine().seeking());
    ASSERT_THAT(rig_.windows(), SizeIs(1));
    EXPECT_THAT(rig_.rows(), ElementsAre(Row{"b", 0, At("10:10:00").value()}));
    EXPECT_EQ(lake::OffsetsIn(rig_.windows()[0].lost), GetParam());
  }

  static lake::EngineStart Latest() {
    lake::EngineStart latest;
    latest.t_prev = At("10:00:00");
    return latest;
  }

  EngineRig rig_{Latest(), NoGuard()};
};

// An older broker says of a deleted partition that it does not know it.
TEST_P(GoneWhileSought, APartitionHoldsNothingUp) {
  rig_.log().DeletePartition("orders", "a");
  rig_.Refuse("a", queen::EntryError::kUnknownPartition);
  ExpectLost();
}

TEST_P(GoneWhileSought, RecordsAreTold) {
  rig_.log().DropBefore("orders", "a", Offset(3'000));
  ExpectLost();
}

INSTANTIATE_TEST_SUITE_P(AfterProbes, GoneWhileSought, ::testing::Values(0, 1));

TEST(Reading, ASoughtLaneThatIsRefusedOtherwiseIsAskedAgain) {
  lake::EngineStart latest;
  latest.t_prev = At("10:00:00");
  EngineRig rig(latest, NoGuard());
  rig.log().Append("orders", "a", At("10:05:00"), std::vector<std::string>(3'000, "1"));
  rig.log().PinSafeTime(At("11:00:00"));
  rig.engine().OnInterval();
  rig.Poll();
  rig.Answer(0);  // discovery
  rig.Refuse("a", queen::EntryError::kOther);
  for (int n = 0; n < 9; ++n) {
    rig.Poll();
    rig.Answer(0);
  }
  EXPECT_THAT(rig.windows(), IsEmpty());
  rig.Refuse(std::nullopt);
  rig.Settle();
  EXPECT_THAT(rig.rows(), SizeIs(3'000));
}

TEST(Reading, RetentionBeforeTheReadIsLostExactly) {
  EngineRig rig(Committed(1, "10:00:00", {{.partition = "a", .next = Offset(0)}}), NoGuard());
  rig.log().Append("orders", "a", At("10:10:00"), {"1", "2", "3"});
  rig.log().Append("orders", "a", At("10:20:00"), {"4"});
  rig.log().DropBefore("orders", "a", Offset(3));
  rig.log().PinSafeTime(At("11:00:00"));
  rig.Settle();
  ASSERT_THAT(rig.windows(), SizeIs(1));
  EXPECT_THAT(rig.windows()[0].lost, ElementsAre(format::LostRange{"a", Offset(0), Offset(2)}));
  EXPECT_THAT(rig.rows(), SizeIs(1));
}

TEST(Reading, RetentionSeenByAFetchIsLostOnce) {
  EngineRig rig(Committed(1, "10:00:00", {{.partition = "a", .next = Offset(0)}}), NoGuard());
  rig.log().Append("orders", "a", At("10:10:00"), {"1", "2", "3"});
  rig.log().PinSafeTime(At("11:00:00"));
  rig.engine().OnInterval();
  rig.Poll();
  rig.Answer(0);  // discovery names the lane; then retention comes before the fetch
  rig.log().Append("orders", "a", At("11:20:00"), {"4"});
  rig.log().DropBefore("orders", "a", Offset(3));
  rig.log().PinSafeTime(At("12:00:00"));
  rig.Settle();
  rig.Settle();
  ASSERT_THAT(rig.windows(), SizeIs(1));
  EXPECT_THAT(rig.windows()[0].lost, ElementsAre(format::LostRange{"a", Offset(0), Offset(2)}));
}

TEST(Reading, AHoleAtTheHeadOfALaneIsSteppedOver) {
  EngineRig rig(Committed(1, "10:00:00", {}), NoGuard());
  rig.log().Append("orders", "a", At("10:10:00"), {std::string(9 << 20, 'x'), "2", "3"});
  rig.log().Append("orders", "a", At("10:12:00"), {"4", "5"});
  rig.log().Append("orders", "b", At("10:13:00"), {"1"});
  rig.log().HideSegment("orders", "a", Offset(0));
  rig.log().PinSafeTime(At("11:00:00"));
  rig.Settle();
  ASSERT_THAT(rig.windows(), SizeIs(1));
  EXPECT_THAT(rig.windows()[0].lost, ElementsAre(format::LostRange{"a", Offset(0), Offset(2)}));
  EXPECT_THAT(rig.rows(), SizeIs(3));
  EXPECT_EQ(rig.windows()[0].holes, 3);
}

TEST(Reading, AHoleUpToTheEndOfALaneBlocksNothing) {
  EngineRig rig(Committed(1, "10:00:00", {}), NoGuard());
  rig.log().Append("orders", "a", At("10:12:00"), {"1", "2"});
  rig.log().HideSegment("orders", "a", Offset(0));
  rig.log().Append("orders", "b", At("10:13:00"), {"1"});
  rig.log().PinSafeTime(At("11:00:00"));
  rig.Settle();
  ASSERT_THAT(rig.windows(), SizeIs(1));
  EXPECT_THAT(rig.windows()[0].lost, ElementsAre(format::LostRange{"a", Offset(0), Offset(1)}));
}

TEST(Reading, AHoleInsideARunIsLostAndCounted) {
  EngineRig rig(Committed(1, "10:00:00", {}), NoGuard());
  rig.log().Append("orders", "a", At("10:10:00"), {"1"});
  rig.log().Append("orders", "a", At("10:11:00"), {"2", "3"});
  rig.log().Append("orders", "a", At("10:12:00"), {"4"});
  rig.log().HideSegment("orders", "a", Offset(1));
  rig.log().PinSafeTime(At("11:00:00"));
  rig.Settle();
  ASSERT_THAT(rig.windows(), SizeIs(1));
  EXPECT_THAT(rig.windows()[0].lost, ElementsAre(format::LostRange{"a", Offset(1), Offset(2)}));
  EXPECT_EQ(rig.windows()[0].holes, 2);
}

TEST(Reading, ACaughtUpLaneIsNotFetchedUntilItMoves) {
  EngineRig rig(Committed(1, "10:00:00", {}), NoGuard());
  rig.log().Append("orders", "a", At("10:00:10"), {"1"});
  rig.log().PinSafeTime(At("10:00:20"));
  rig.Settle();
  const int fetches = rig.fetches();
  rig.Settle();
  rig.Settle();
  EXPECT_EQ(rig.fetches(), fetches);
  rig.log().Append("orders", "a", At("10:00:30"), {"2"});
  rig.Settle();
  EXPECT_EQ(rig.fetches(), fetches + 1);
}

// A lane that no window and no page of discovery told of for long is forgotten but for its position
// (queen-interface 2.3; decision 8).
TEST(Reading, ASilentLaneIsPrunedAndGoesOnWhereItStopped) {
  constexpr int kHours = 100;
  lake::EngineStart start;
  start.t_prev = At("10:00:00");
  EngineRig rig(start, NoGuard());
  rig.log().Append("orders", "silent", At("10:10:00"), {"1", "2"});
  for (int hour = 0; hour < kHours; ++hour) {
    rig.log().Append("orders", "busy", At("10:20:00") + hour * kMicrosPerHour, {"1"});
  }
  const Micros later = At("10:00:00") + kHours * kMicrosPerHour;
  rig.log().PinSafeTime(later);
  rig.engine().OnInterval();
  rig.Poll();
  rig.Answer(0);  // discovery; the next page does not come as long as there is a window to close
  rig.Poll();
  while (rig.pending() > 0) rig.Answer(0);
  for (int hour = 0; hour < kHours; ++hour) rig.Poll();
  ASSERT_THAT(rig.windows(), SizeIs(kHours));
  EXPECT_EQ(rig.engine().Stats().lanes, 1);
  using Position = format::Checkpoint::Position;
  EXPECT_THAT(rig.engine().Positions().positions,
              ::testing::UnorderedElementsAre(Position{"busy", Offset(kHours)},
                                              Position{"silent", Offset(2)}));

  rig.log().Append("orders", "silent", later + kMicrosPerSecond, {"3"});
  rig.log().PinSafeTime(later + kMicrosPerHour);
  rig.Settle();
  ASSERT_THAT(rig.windows(), SizeIs(kHours + 1));
  EXPECT_THAT(rig.windows().back().rows,
              ElementsAre(Row{"silent", 2, (later + kMicrosPerSecond).value()}));
  EXPECT_THAT(rig.windows().back().lost, IsEmpty());
  EXPECT_THAT(rig.recreated(), IsEmpty());
  EXPECT_EQ(rig.engine().Stats().lanes, 2);
}

TEST(Reading, ARedoBuildsItsWindowAndGoesOn) {
  auto start = Committed(3, "10:00:00", {{.partition = "a", .next = Offset(0)}});
  start.redo = lake::EngineStart::Redo{
      .window = {format::WindowNumber(4), At("10:00:00"), At("10:20:00")}, .lost = {}};
  EngineRig rig(std::move(start), NoGuard());
  rig.log().Append("orders", "a", At("10:10:00"), {"1"});
  rig.log().Append("orders", "a", At("10:30:00"), {"2"});
  rig.log().PinSafeTime(At("11:00:00"));
  rig.Settle();
  ASSERT_THAT(rig.windows(), SizeIs(2));
  EXPECT_TRUE(rig.windows()[0].from_log);
  EXPECT_THAT(rig.windows()[0].rows, ElementsAre(Row{"a", 0, At("10:10:00").value()}));
  EXPECT_EQ(rig.windows()[1].window,
            (format::Window{format::WindowNumber(5), At("10:20:00"), At("11:00:00")}));
}

TEST(Reading, ARedoWaitsUntilItsEndIsSafe) {
  auto start = Committed(3, "10:00:00", {});
  start.redo = lake::EngineStart::Redo{
      .window = {format::WindowNumber(4), At("10:00:00"), At("10:20:00")}, .lost = {}};
  EngineRig rig(std::move(start), NoGuard());
  rig.log().Append("orders", "a", At("10:10:00"), {"1"});
  rig.log().PinSafeTime(At("10:15:00"));
  rig.Settle();
  EXPECT_THAT(rig.windows(), IsEmpty());
}

TEST(Reading, PositionsAreWhereTheNextWindowStarts) {
  EngineRig rig(Committed(1, "10:00:00", {}), NoGuard());
  rig.log().Append("orders", "a", At("10:10:00"), {"1", "2"});
  rig.log().Append("orders", "a", At("11:04:00"), {"3"});
  rig.log().PinSafeTime(At("11:04:10"));
  rig.Settle();
  ASSERT_THAT(rig.windows(), SizeIs(1));
  const auto checkpoint = rig.engine().Positions();
  EXPECT_EQ(checkpoint.k.value(), 2);
  EXPECT_THAT(checkpoint.positions,
              ElementsAre(format::Checkpoint::Position{.partition = "a", .next = Offset(2)}));
}

TEST(Reading, TimestampsThatFallWithinALaneStopTheQueueByName) {
  lake::MemoryBudget budget(1 << 30);
  lake::EngineStart start;
  start.t_prev = At("10:00:00");
  lake::WindowEngine engine({.queue = "orders", .rules = NoGuard(), .fetch = {}}, start, budget);
  engine.Poll();
  engine.OnDiscovery({.queue = "orders",
                      .partitions = {{.name = "a",
                                      .last_offset = Offset(1),
                                      .log_start = Offset(0),
                                      .last_write_at = At("10:30:00")}},
                      .next = ""},
                     At("11:00:00"));
  const auto actions = engine.Poll();
  ASSERT_THAT(actions.fetches, SizeIs(1));
  std::vector<queen::RecordSlice> records{
      {.offset = Offset(0), .ts = At("10:30:00"), .payload_at = 0, .payload_size = 1},
      {.offset = Offset(1), .ts = At("10:20:00"), .payload_at = 0, .payload_size = 1}};
  queen::FetchAnswer answer{.body = std::make_shared<queen::AnswerBody>("1", std::move(records)),
                            .entries = {{}}};
  answer.entries[0].records = answer.body->records();
  answer.entries[0].high_watermark = Offset(2);
  engine.OnFetch(actions.fetches[0].id, std::move(answer));
  ASSERT_TRUE(engine.fault().has_value());
  EXPECT_NE(engine.fault()->message.find("partition a"), std::string::npos);
}

}  // namespace
}  // namespace tidemark::testing

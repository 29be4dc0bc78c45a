#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "format/kv_documents.h"
#include "format/object_key.h"
#include "tests/sim/lake_rig.h"

namespace tidemark::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

const std::vector<std::string> kThree{"1", "2", "3"};

// The driver fixture of queen-interface 17.2: 27 records in hour 10, 18 in hour 11.
void PushFixture(LakeRig& rig) {
  for (const char* time : {"10:10:00", "10:20:00", "10:30:00", "11:10:00", "11:20:00"}) {
    for (const char* lane : {"a", "b", "c"}) {
      rig.broker().log().Append("orders", lane, At(time), kThree);
    }
  }
  rig.broker().log().PinSafeTime(At("11:20:00.000001"));
}

void DelayPut(LakeRig& rig, const std::string& key_part, io::Duration delay) {
  rig.faults().Plant({.operation = store::Operation::kPut,
                      .key_part = key_part,
                      .kind = store::Fault::Kind::kDelay,
                      .delay = delay});
}

bool HasCheckpoint(LakeRig& rig, int k) {
  const auto key = format::CheckpointKey("queen", "orders", format::WindowNumber(k));
  return rig.bucket().objects().contains(key);
}

TEST(QueueSink, TwoHoursBecomeTwoWindowsAtExactKeys) {
  LakeRig rig;
  PushFixture(rig);
  const Status ended = rig.RunFor(std::chrono::seconds(30));
  EXPECT_EQ(ended.error().code, ErrorCode::kCancelled) << ended.error().message;
  const auto manifests = rig.Manifests();
  ASSERT_THAT(manifests, SizeIs(2));
  EXPECT_EQ(manifests[0].records, 27);
  EXPECT_EQ(manifests[1].records, 18);
  EXPECT_EQ(manifests[0].objects[0].key,
            "queen/queue=orders/dt=2026-09-04/hour=10/"
            "w-0000000001-1788516000000000-1788519600000000.jsonl.zst");
  EXPECT_EQ(manifests[1].window.end, At("11:20:00.000001"));
  EXPECT_THAT(rig.Rows(), SizeIs(45));
}

TEST(QueueSink, TheCheckpointNamesWhereTheNextWindowStarts) {
  LakeRig rig;
  PushFixture(rig);
  IgnoreError(rig.RunFor(std::chrono::seconds(30)), "judged by the bucket");
  const auto key = format::CheckpointKey("queen", "orders", format::WindowNumber(2));
  ASSERT_TRUE(rig.bucket().objects().contains(key));
  const auto checkpoint = format::DecodeCheckpoint(*rig.bucket().objects().at(key).bytes);
  using Position = format::Checkpoint::Position;
  EXPECT_THAT(
      checkpoint->positions,
      ElementsAre(Position{"a", Offset(15)}, Position{"b", Offset(15)}, Position{"c", Offset(15)}));
}

// Reading goes on while a checkpoint is written, and needs the room.
TEST(QueueSink, ACommittedWindowHoldsNoMemoryWhileItsCheckpointIsWritten) {
  LakeRig rig;
  PushFixture(rig);
  DelayPut(rig, "checkpoint/0000000002", std::chrono::minutes(1));
  rig.Start("sink-0");
  rig.Advance(std::chrono::seconds(30));
  EXPECT_THAT(rig.Manifests(), SizeIs(2));
  EXPECT_FALSE(HasCheckpoint(rig, 2));
  EXPECT_EQ(rig.memory_used(), 0);
}

// The older of two that are written at once would delete the newer.
TEST(QueueSink, ASlowCheckpointIsNotOvertaken) {
  LakeRig rig;
  rig.options().checkpoint_every = 1;
  PushFixture(rig);
  DelayPut(rig, "checkpoint/0000000001", std::chrono::minutes(1));
  rig.Start("sink-0");
  rig.Advance(std::chrono::seconds(30));
  EXPECT_THAT(rig.Manifests(), SizeIs(2));
  EXPECT_FALSE(HasCheckpoint(rig, 2));
  rig.Advance(std::chrono::seconds(90));
  EXPECT_TRUE(HasCheckpoint(rig, 1));
  rig.broker().log().Append("orders", "a", At("11:30:00"), kThree);
  rig.broker().log().PinSafeTime(At("12:00:00"));
  rig.Advance(std::chrono::minutes(1));
  EXPECT_TRUE(HasCheckpoint(rig, 3));
  EXPECT_EQ(rig.counts().progress.checkpoint_age_windows, 0);
}

// Nothing but the end of the first window tells that the second may begin.
TEST(QueueSink, TheNextWindowWaitsForNoCheckpointAndIsNotInIt) {
  LakeRig rig;
  rig.options().checkpoint_every = 1;
  rig.options().discovery_interval = std::chrono::hours(1);
  PushFixture(rig);
  DelayPut(rig, "checkpoint/0000000001", std::chrono::minutes(1));
  rig.Start("sink-0");
  rig.Advance(std::chrono::seconds(30));
  EXPECT_THAT(rig.Manifests(), SizeIs(2));
  rig.Advance(std::chrono::minutes(1));
  ASSERT_TRUE(HasCheckpoint(rig, 1));
  const auto key = format::CheckpointKey("queen", "orders", format::WindowNumber(1));
  const auto checkpoint = format::DecodeCheckpoint(*rig.bucket().objects().at(key).bytes);
  for (const auto& position : checkpoint->positions) EXPECT_EQ(position.next, Offset(9));
}

// The first checkpoint was refused and the first window redone: the one that follows it is the one
// that must precede the next intent.
TEST(QueueSink, TheCheckpointOfARedoneWindowPrecedesTheNextWindow) {
  LakeRig rig;
  rig.options().checkpoint_every = 1;
  PushFixture(rig);
  const Error refused{.code = ErrorCode::kInvalidArgument, .message = "no"};
  rig.faults().Plant(
      {.operation = store::Operation::kPut, .key_part = "checkpoint/0000000000", .error = refused});
  rig.broker().Add({.call = Call::kKvPutAll, .nth = 3, .fail_before = refused});
  rig.Start("sink-0");
  rig.Advance(std::chrono::seconds(10));
  ASSERT_THAT(rig.ends(), SizeIs(1)) << "it should have failed at its commit";
  DelayPut(rig, "checkpoint/0000000001", std::chrono::minutes(1));
  rig.Start("sink-0");
  rig.Advance(std::chrono::seconds(30));
  EXPECT_THAT(rig.Manifests(), SizeIs(1));
  EXPECT_FALSE(HasCheckpoint(rig, 1)) << "written twice, side by side";
  rig.Advance(std::chrono::minutes(2));
  EXPECT_TRUE(HasCheckpoint(rig, 1));
  EXPECT_THAT(rig.Manifests(), SizeIs(2));
}

TEST(QueueSink, ARestartGoesOnWhereTheLastOneStopped) {
  LakeRig rig;
  PushFixture(rig);
  IgnoreError(rig.RunFor(std::chrono::seconds(30)), "judged by the bucket");
  rig.broker().log().Append("orders", "a", At("12:00:00"), kThree);
  rig.broker().log().PinSafeTime(At("13:00:00"));
  IgnoreError(rig.RunFor(std::chrono::seconds(30)), "judged by the bucket");
  EXPECT_THAT(rig.Manifests(), SizeIs(3));
  EXPECT_THAT(rig.Rows(), SizeIs(48));
}

TEST(QueueSink, AFirstWindowThatFailedAfterItsIntentIsRedoneWhole) {
  LakeRig rig;
  PushFixture(rig);
  rig.broker().Add({.call = Call::kKvPutAll,
                    .nth = 3,
                    .fail_before = Error{.code = ErrorCode::kInvalidArgument, .message = "no"}});
  rig.Start("sink-0");
  rig.Advance(std::chrono::seconds(10));
  ASSERT_THAT(rig.ends(), SizeIs(1));
  EXPECT_EQ(rig.ends()[0].error().code, ErrorCode::kInvalidArgument);
  ASSERT_THAT(rig.Manifests(), SizeIs(1)) << "it should have failed at its commit";
  IgnoreError(rig.RunFor(std::chrono::seconds(30)), "judged by the bucket");
  EXPECT_THAT(rig.Rows(), SizeIs(45));
}

// A window read from the log is read twice, to count it and to write it; what is behind a lane that
// did not fit into its share of a call comes again.
TEST(QueueSink, ARedoOfLargeLanesReadsLittleInVain) {
  LakeRig rig;
  const std::vector<std::string> segment(10, '"' + std::string(1'000, 'x') + '"');
  for (int n = 0; n < 30; ++n) {
    for (int lane = 0; lane < 30; ++lane) {
      rig.broker().log().Append(
          "orders", "lane-" + std::to_string(lane), At("10:10:00") + n * kMicrosPerSecond, segment);
    }
  }
  rig.broker().log().PinSafeTime(At("11:00:00"));
  rig.broker().Add({.call = Call::kKvPutAll,
                    .nth = 3,
                    .fail_before = Error{.code = ErrorCode::kInvalidArgument, .message = "no"}});
  rig.Start("sink-0");
  rig.Advance(std::chrono::seconds(10));
  ASSERT_THAT(rig.ends(), SizeIs(1));
  const std::size_t before = rig.broker().records_fetched();
  IgnoreError(rig.RunFor(std::chrono::seconds(30)), "judged by the bucket");
  EXPECT_THAT(rig.Rows(), SizeIs(9'000));
  EXPECT_LT(rig.broker().records_fetched() - before, 3 * 9'000);
}

class RefusedInARedo : public ::testing::Test {
 protected:
  // How the life ended that read the window from the log and was refused a partition of it.
  Status Redo(queen::EntryError error) {
    PushFixture(rig_);
    rig_.broker().Add({.call = Call::kKvPutAll,
                       .nth = 3,
                       .fail_before = Error{.code = ErrorCode::kInvalidArgument, .message = "no"}});
    rig_.Start("sink-0");
    rig_.Advance(std::chrono::seconds(10));
    EXPECT_THAT(rig_.ends(), SizeIs(1)) << "it should have failed at its commit";
    rig_.broker().log().Refuse("b", error, 3);
    return rig_.RunFor(std::chrono::minutes(1));
  }

  LakeRig rig_;
};

TEST_F(RefusedInARedo, APassingErrorIsWaitedOut) {
  EXPECT_EQ(Redo(queen::EntryError::kOther).error().code, ErrorCode::kCancelled);
  EXPECT_THAT(rig_.Rows(), SizeIs(45));
}

// Whether it is still there, only discovery can tell.
TEST_F(RefusedInARedo, AnUnknownPartitionIsLeftToTheNextLife) {
  EXPECT_EQ(Redo(queen::EntryError::kUnknownPartition).error().code, ErrorCode::kInternal);
  rig_.broker().log().Refuse("b", queen::EntryError::kNone, 0);
  IgnoreError(rig_.RunFor(std::chrono::minutes(1)), "judged by the bucket");
  EXPECT_THAT(rig_.Rows(), SizeIs(45));
}

TEST(QueueSink, LatestLeavesTheBacklogOut) {
  LakeRig rig;
  rig.options().start.kind = lake::Start::Kind::kLatest;
  rig.broker().log().Append("orders", "a", At("10:10:00"), kThree);
  rig.broker().log().PinSafeTime(At("10:30:00"));
  rig.Start("sink-0");
  rig.Advance(std::chrono::seconds(10));
  rig.broker().log().Append("orders", "a", At("10:40:00"), {"4"});
  rig.broker().log().PinSafeTime(At("11:00:00"));
  rig.Advance(std::chrono::seconds(10));
  rig.Stop();
  EXPECT_THAT(rig.Rows(), ElementsAre(LakeRow{"a", 3}));
}

TEST(QueueSink, AGivenTimeLeavesOutWhatLiesBeforeIt) {
  LakeRig rig;
  rig.options().start = {.kind = lake::Start::Kind::kAt, .at = At("10:20:00")};
  rig.broker().log().Append("orders", "a", At("10:10:00"), kThree);
  rig.broker().log().Append("orders", "a", At("10:20:00"), {"4"});
  rig.broker().log().Append("orders", "old", At("10:19:59.999999"), kThree);
  rig.broker().log().PinSafeTime(At("10:30:00"));
  IgnoreError(rig.RunFor(std::chrono::seconds(10)), "nothing to commit yet");
  rig.broker().log().Append("orders", "a", At("10:40:00"), {"5"});
  rig.broker().log().PinSafeTime(At("11:00:00"));
  IgnoreError(rig.RunFor(std::chrono::seconds(30)), "judged by the bucket");
  EXPECT_THAT(rig.Rows(), ElementsAre(LakeRow{"a", 3}, LakeRow{"a", 4}));
  const auto manifests = rig.Manifests();
  ASSERT_THAT(manifests, SizeIs(2));
  EXPECT_EQ(manifests[0].window.start, At("10:20:00"));
  for (const auto& manifest : manifests) EXPECT_THAT(manifest.lost, ::testing::IsEmpty());
}

TEST(QueueSink, LatestIsNotMovedByARestartBeforeTheFirstWindow) {
  LakeRig rig;
  rig.options().start.kind = lake::Start::Kind::kLatest;
  rig.broker().log().Append("orders", "a", At("10:10:00"), kThree);
  rig.broker().log().PinSafeTime(At("10:30:00"));
  IgnoreError(rig.RunFor(std::chrono::seconds(1)), "nothing to commit yet");
  rig.broker().log().Append("orders", "a", At("10:40:00"), {"4"});
  rig.broker().log().PinSafeTime(At("11:00:00"));
  IgnoreError(rig.RunFor(std::chrono::seconds(30)), "judged by the bucket");
  EXPECT_THAT(rig.Rows(), ElementsAre(LakeRow{"a", 3}));
}

TEST(QueueSink, AYoungSmallWindowIsLeftToTheNextProcess) {
  LakeRig rig;
  rig.broker().log().Append("orders", "a", At("10:00:01"), kThree);
  rig.broker().log().PinSafeTime(At("10:00:05"));
  IgnoreError(rig.RunFor(std::chrono::seconds(1)), "judged by the bucket");
  EXPECT_THAT(rig.Manifests(), SizeIs(0));
}

TEST(QueueSink, AWindowWorthFinishingIsCommittedByTheDrain) {
  LakeRig rig;
  const std::string payload = '"' + std::string(50'000, 'x') + '"';
  rig.broker().log().Append("orders", "a", At("10:00:01"), {30, payload});
  rig.broker().log().PinSafeTime(At("10:00:05"));
  IgnoreError(rig.RunFor(std::chrono::seconds(1)), "judged by the bucket");
  EXPECT_THAT(rig.Manifests(), SizeIs(1));
}

TEST(QueueSink, AWindowPastItsIntentIsFinishedByTheDrain) {
  LakeRig rig;
  PushFixture(rig);
  DelayPut(rig, "queue=orders", std::chrono::seconds(20));
  rig.Start("sink-0");
  rig.Advance(std::chrono::seconds(5));
  ASSERT_THAT(rig.Manifests(), SizeIs(0));
  rig.Stop();
  EXPECT_THAT(rig.Manifests(), SizeIs(1));
}

TEST(QueueSink, ADayIsOneWindowFromMidnightOn) {
  LakeRig rig;
  rig.options().engine.rules.align = format::Align::kDay;
  rig.options().commit.form.align = format::Align::kDay;
  PushFixture(rig);
  rig.broker().log().PinSafeTime(*ParseIso("2026-09-05T01:00:00Z"));
  IgnoreError(rig.RunFor(std::chrono::seconds(30)), "judged by the bucket");
  const auto manifests = rig.Manifests();
  ASSERT_THAT(manifests, SizeIs(1));
  EXPECT_EQ(manifests[0].records, 45);
  EXPECT_EQ(manifests[0].window.start, Micros(1'788'480'000'000'000));
  EXPECT_EQ(manifests[0].objects[0].key,
            "queen/queue=orders/dt=2026-09-04/"
            "w-0000000001-1788480000000000-1788566400000000.jsonl.zst");
}

TEST(QueueSink, EachLaneHasItsObjectAndItsManifestEntry) {
  LakeRig rig;
  rig.options().commit.form.layout = format::Layout::kPerPartition;
  rig.options().commit.form.data_format = format::DataFormat::kParquet;
  PushFixture(rig);
  IgnoreError(rig.RunFor(std::chrono::seconds(30)), "judged by the bucket");
  const auto manifests = rig.Manifests();
  ASSERT_THAT(manifests, SizeIs(2));
  ASSERT_THAT(manifests[1].objects, SizeIs(3));
  const auto& lane = manifests[1].objects[2];
  EXPECT_EQ(lane.key,
            "queen/queue=orders/dt=2026-09-04/hour=11/"
            "w-0000000002-1788519600000000-1788520800000001-p-c-000000000009-000000000014.parquet");
  EXPECT_EQ(lane.lane->partition, "c");
  EXPECT_EQ(lane.lane->first, Offset(9));
  EXPECT_EQ(lane.lane->last, Offset(14));
  EXPECT_EQ(lane.records, 6);
  EXPECT_THAT(rig.Rows(), SizeIs(45));
}

TEST(QueueSink, ALeaseStolenBetweenWindowsStopsItAndLeavesThePointer) {
  LakeRig rig;
  PushFixture(rig);
  rig.Start("sink-0");
  rig.Advance(std::chrono::seconds(5));
  ASSERT_THAT(rig.Manifests(), SizeIs(2));
  const format::Lease thief{.instance = "thief", .incarnation = "00000000000000ff"};
  const queen::KvPut stolen{.key = format::LeaseKey("default", "orders"),
                            .value = format::EncodeLease(thief),
                            .ttl_seconds = 30,
                            .expect = std::nullopt};
  ASSERT_TRUE(rig.broker().kv().Put(stolen, rig.loop().Now()));
  rig.broker().log().Append("orders", "a", At("12:00:00"), kThree);
  rig.broker().log().PinSafeTime(At("13:00:00"));
  rig.Advance(std::chrono::seconds(20));
  ASSERT_THAT(rig.ends(), SizeIs(1));
  EXPECT_EQ(rig.ends()[0].error().code, ErrorCode::kPreconditionFailed);
  EXPECT_THAT(rig.Manifests(), SizeIs(2));
  const auto rows =
      rig.broker().kv().GetMany({format::CommittedKey("default", "orders")}, rig.loop().Now());
  EXPECT_EQ(format::DecodeCommitted(rows->at(0).value)->k, format::WindowNumber(2));
  IgnoreError(rig.RunFor(std::chrono::minutes(2)), "judged by the bucket");
  EXPECT_THAT(rig.Rows(), SizeIs(48));
}

TEST(QueueSink, AnUnknownQueueStopsWithThatReason) {
  LakeRig rig;
  rig.options().engine.queue = "nowhere";
  rig.options().commit.queue = "nowhere";
  rig.Start("sink-0");
  rig.Advance(std::chrono::seconds(30));
  ASSERT_THAT(rig.ends(), SizeIs(1));
  EXPECT_EQ(rig.ends()[0].error().code, ErrorCode::kNotFound);
  EXPECT_NE(rig.ends()[0].error().message.find("nowhere"), std::string::npos);
}

TEST(QueueSink, PreparingARollbackFinishesThePendingWindowAndWritesIntegers) {
  LakeRig rig;
  PushFixture(rig);
  rig.broker().Add({.call = Call::kKvPutAll,
                    .nth = 3,
                    .fail_before = Error{.code = ErrorCode::kInvalidArgument, .message = "no"}});
  rig.Start("sink-0");
  rig.Advance(std::chrono::seconds(10));
  ASSERT_THAT(rig.Manifests(), SizeIs(1)) << "it should have failed at its commit";
  rig.options().prepare_rollback = true;
  rig.Start("sink-0");
  rig.Advance(std::chrono::seconds(30));
  ASSERT_THAT(rig.ends(), SizeIs(2));
  EXPECT_TRUE(rig.ends()[1].has_value()) << rig.ends()[1].error().message;
  EXPECT_THAT(rig.Manifests(), SizeIs(1));
  const auto rows =
      rig.broker().kv().GetMany({format::CommittedKey("default", "orders")}, rig.loop().Now());
  EXPECT_NE(rows->at(0).value.find("\"tEnd\":1788519600000000"), std::string::npos);
}

TEST(QueueSink, TwoInstancesWriteEachWindowOnce) {
  LakeRig rig;
  PushFixture(rig);
  rig.Start("sink-0");
  rig.Start("sink-1");
  rig.Advance(std::chrono::minutes(5));
  EXPECT_THAT(rig.Manifests(), SizeIs(2));
  EXPECT_THAT(rig.Rows(), SizeIs(45));
}

TEST(QueueSink, AnOutageOfAnHourLosesNothingAndHoldsNothingMore) {
  LakeRig rig;
  PushFixture(rig);
  rig.faults().Plant({.operation = store::Operation::kPut, .times = 70});
  rig.Start("sink-0");
  rig.Advance(std::chrono::minutes(50));
  EXPECT_THAT(rig.Manifests(), SizeIs(0));
  rig.Advance(std::chrono::minutes(100));
  rig.Stop();
  EXPECT_THAT(rig.Rows(), SizeIs(45));
}

class Disturbed : public ::testing::TestWithParam<std::uint64_t> {};

// Faults of every kind at random calls of broker and bucket, restarts between: every record once,
// windows consecutive.
TEST_P(Disturbed, EveryRecordOnce) {
  std::mt19937_64 random(GetParam());
  LakeRig rig(GetParam());
  rig.options().engine.rules.window_us_max = 60 * kMicrosPerSecond;
  std::vector<LakeRow> expected;
  Micros ts = At("10:00:00");
  for (int round = 0; round < 12; ++round) {
    for (int i = 0; i < 10; ++i) {
      ts = ts + static_cast<std::int64_t>(random() % 240) * kMicrosPerSecond;
      const std::string lane = "lane-" + std::to_string(random() % 4);
      const Offset offset = rig.broker().log().Append("orders", lane, ts, {"{\"n\":1}"});
      expected.emplace_back(lane, offset.value());
    }
    rig.broker().log().PinSafeTime(ts);
    for (int fault = 0; fault < 3; ++fault) {
      const int nth = 1 + static_cast<int>(random() % 6);
      switch (random() % 4) {
        case 0:
          rig.broker().FailBefore(static_cast<Call>(random() % 6), nth);
          break;
        case 1:
          rig.broker().LoseReply(static_cast<Call>(random() % 6), nth);
          break;
        case 2:
          rig.faults().Plant({.operation = store::Operation::kPut});
          break;
        default:
          rig.faults().Plant({.operation = store::Operation::kPut,
                              .kind = store::Fault::Kind::kLoseReply,
                              .error = {.code = ErrorCode::kOutcomeUnknown, .message = "lost"}});
      }
    }
    IgnoreError(
        rig.RunFor(std::chrono::minutes(1 + random() % 5), "sink-" + std::to_string(random() % 2)),
        "a life may end by any fault; the lake is judged");
  }
  rig.broker().log().PinSafeTime(At("23:59:00"));
  IgnoreError(rig.RunFor(std::chrono::hours(1)), "judged by the bucket");
  auto rows = rig.Rows();
  std::ranges::sort(rows);
  std::ranges::sort(expected);
  EXPECT_EQ(rows, expected);
  std::int64_t k = 0;
  for (const auto& manifest : rig.Manifests()) EXPECT_EQ(manifest.window.k.value(), ++k);
}

INSTANTIATE_TEST_SUITE_P(Seeds, Disturbed, ::testing::Range<std::uint64_t>(1, 40));

// A window that lags is finished however little it holds.
TEST(QueueSink, AWindowTenSecondsBehindIsCommittedByTheDrain) {
  for (const auto& [safe_time, windows] : {std::pair{"10:00:10.999999", 0}, {"10:00:11", 1}}) {
    LakeRig rig;
    rig.broker().log().Append("orders", "a", At("10:00:01"), kThree);
    rig.broker().log().PinSafeTime(At(safe_time));
    IgnoreError(rig.RunFor(std::chrono::seconds(1)), "judged by the bucket");
    EXPECT_THAT(rig.Manifests(), SizeIs(windows)) << safe_time;
  }
}

TEST(QueueSink, ADrainFinishesOneWindowAndNoMore) {
  LakeRig rig;
  PushFixture(rig);
  const std::string heavy = '"' + std::string(2'000'000, 'x') + '"';
  rig.broker().log().Append("orders", "a", At("11:20:00"), {heavy});
  DelayPut(rig, "w-0000000001", std::chrono::seconds(20));
  rig.Start("sink-0");
  rig.Advance(std::chrono::seconds(5));
  ASSERT_GT(rig.counts().progress.buffered_bytes, 1 << 20) << "the next window is worth finishing";
  rig.Stop();
  EXPECT_THAT(rig.Manifests(), SizeIs(1));
  IgnoreError(rig.RunFor(std::chrono::seconds(30)), "judged by the bucket");
  EXPECT_THAT(rig.Rows(), SizeIs(46));
}

TEST(QueueSink, TheCheckpointOfTheLastWindowIsWrittenByTheDrain) {
  LakeRig rig;
  PushFixture(rig);
  DelayPut(rig, "w-0000000002", std::chrono::seconds(20));
  DelayPut(rig, "checkpoint/0000000002", std::chrono::seconds(20));
  rig.Start("sink-0");
  rig.Advance(std::chrono::seconds(5));
  ASSERT_THAT(rig.Manifests(), SizeIs(1));
  rig.Stop();
  EXPECT_THAT(rig.Manifests(), SizeIs(2));
  EXPECT_TRUE(HasCheckpoint(rig, 2));
}

// Where queen-s3 1.5.0 was stopped in its first window: nothing is committed, and no checkpoint
// says where in the log that window begins.
format::Window LeavePendingAs15(LakeRig& rig) {
  const format::Intent intent{.window = {format::WindowNumber(1), At("10:20:00"), At("10:40:00")},
                              .form = {},
                              .writer = "queen-s3/1.5.0 jsonl+zstd",
                              .records = std::nullopt,
                              .lost = {},
                              .lost_sidecar = {}};
  const queen::KvPut put{.key = format::IntentKey("default", "orders"),
                         .value = format::EncodeIntentFor15(intent)};
  EXPECT_TRUE(rig.broker().kv().Put(put, rig.loop().Now()));
  return intent.window;
}

TEST(QueueSink, ARedoWithoutACheckpointSeeksBackToItsWindow) {
  LakeRig rig;
  rig.options().start.kind = lake::Start::Kind::kLatest;
  const std::vector<std::string> segment(100, "1");
  for (int n = 0; n < 200; ++n) {
    rig.broker().log().Append("orders", "long", At("09:00:00") + n * kMicrosPerSecond, segment);
  }
  rig.broker().log().Append("orders", "short", At("09:30:00"), kThree);
  for (const char* lane : {"long", "short", "new"}) {
    rig.broker().log().Append("orders", lane, At("10:30:00"), kThree);
    rig.broker().log().Append("orders", lane, At("10:50:00"), kThree);
  }
  rig.broker().log().PinSafeTime(At("11:00:00"));
  const format::Window pending = LeavePendingAs15(rig);
  IgnoreError(rig.RunFor(std::chrono::seconds(30)), "judged by the bucket");
  const auto manifests = rig.Manifests();
  ASSERT_THAT(manifests, SizeIs(2));
  EXPECT_EQ(manifests[0].window, pending);
  EXPECT_EQ(manifests[0].records, 9);
  EXPECT_EQ(manifests[1].records, 9);
  EXPECT_THAT(manifests[0].lost, SizeIs(0));
  EXPECT_THAT(rig.Rows(), ::testing::Contains(LakeRow{"long", 20'000}));
  EXPECT_LT(rig.broker().records_fetched(), 5'000);
}

TEST(QueueSink, ALaneMetDuringARedoHoldsTheNextWindowOpen) {
  LakeRig rig;
  rig.options().start.kind = lake::Start::Kind::kLatest;
  rig.broker().log().Append("orders", "a", At("10:30:00"), kThree);
  rig.broker().log().PinSafeTime(At("10:45:00"));
  LeavePendingAs15(rig);
  DelayPut(rig, "w-0000000001", std::chrono::seconds(20));
  rig.Start("sink-0");
  rig.Advance(std::chrono::seconds(5));
  rig.broker().log().Append("orders", "late", At("10:50:00"), kThree);
  rig.broker().log().PinSafeTime(At("11:00:00"));
  rig.Advance(std::chrono::seconds(30));
  rig.Stop();
  EXPECT_THAT(rig.Manifests(), SizeIs(2));
  EXPECT_THAT(rig.Rows(), SizeIs(6));
}

}  // namespace
}  // namespace tidemark::testing

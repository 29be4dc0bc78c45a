// complete.json as a whole sink writes it: after each commit, on an idle queue, and never at the
// cost of a commit.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "format/object_key.h"
#include "tests/sim/lake_rig.h"

namespace tidemark::testing {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::SizeIs;

const std::vector<std::string> kThree{"1", "2", "3"};
const std::string kKey = format::CompleteKey("queen", "orders");

void Push(LakeRig& rig, const std::string& time) {
  rig.broker().log().Append("orders", "a", At(time), kThree);
}

// What the file says; window -1 when there is none.
format::Complete FileOf(LakeRig& rig) {
  const auto found = rig.bucket().objects().find(kKey);
  if (found == rig.bucket().objects().end()) {
    return {.queue = "",
            .k = format::WindowNumber(-1),
            .complete_through = {},
            .lost = 0,
            .updated_at = {}};
  }
  return format::DecodeComplete(*found->second.bytes).value();
}

// Two windows, and the log safe to read up to 11:30.
void PushTwoHours(LakeRig& rig) {
  Push(rig, "10:10:00");
  Push(rig, "11:10:00");
  rig.broker().log().PinSafeTime(At("11:30:00"));
}

TEST(CompleteFile, FollowsEachCommit) {
  LakeRig rig;
  PushTwoHours(rig);
  IgnoreError(rig.RunFor(seconds(30)), "judged by the bucket");
  ASSERT_THAT(rig.Manifests(), SizeIs(2));
  const auto file = FileOf(rig);
  EXPECT_EQ(file.queue, "orders");
  EXPECT_EQ(file.k.value(), 2);
  EXPECT_EQ(file.complete_through, At("11:30:00"));
  EXPECT_EQ(file.lost, 0);
}

TEST(CompleteFile, MovesOnAnIdleQueueOnceAMaxWindow) {
  LakeRig rig;
  PushTwoHours(rig);
  rig.Start("sink-0");
  rig.Advance(seconds(30));
  rig.broker().log().PinSafeTime(At("11:40:00"));
  rig.Advance(minutes(1));
  EXPECT_EQ(FileOf(rig).complete_through, At("11:30:00"));
  rig.Advance(minutes(5));
  EXPECT_EQ(FileOf(rig).complete_through, At("11:40:00"));
  EXPECT_EQ(FileOf(rig).k.value(), 2);
}

TEST(CompleteFile, AQueueThatNeverHadARecordIsCompleteToo) {
  LakeRig rig;
  rig.broker().log().PinSafeTime(At("11:30:00"));
  IgnoreError(rig.RunFor(seconds(30)), "judged by the bucket");
  EXPECT_EQ(FileOf(rig).k.value(), 0);
  EXPECT_EQ(FileOf(rig).complete_through, At("11:30:00"));
}

TEST(CompleteFile, AStoreThatRefusesItHoldsNoCommitBack) {
  LakeRig rig;
  rig.faults().Plant(
      {.operation = store::Operation::kPut, .key_part = "complete.json", .times = 1000});
  PushTwoHours(rig);
  rig.Start("sink-0");
  rig.Advance(seconds(30));
  EXPECT_THAT(rig.Manifests(), SizeIs(2));
  EXPECT_EQ(FileOf(rig).k.value(), -1);
  EXPECT_LE(rig.faults().calls(store::Operation::kPut), 20) << "attempts follow commits and time";
}

TEST(CompleteFile, AStoreThatNeverAnswersItHoldsNoCommitBack) {
  LakeRig rig;
  rig.faults().Plant({.operation = store::Operation::kPut,
                      .key_part = "complete.json",
                      .times = 1000,
                      .kind = store::Fault::Kind::kDelay,
                      .delay = minutes(2)});
  PushTwoHours(rig);
  rig.Start("sink-0");
  rig.Advance(seconds(30));
  EXPECT_THAT(rig.Manifests(), SizeIs(2));
  EXPECT_EQ(FileOf(rig).k.value(), -1);
}

TEST(CompleteFile, ALostWriteIsMadeGoodByTheNext) {
  LakeRig rig;
  PushTwoHours(rig);
  rig.faults().Plant(
      {.operation = store::Operation::kPut, .key_part = "complete.json", .times = 3});
  rig.Start("sink-0");
  rig.Advance(minutes(1));
  Push(rig, "12:10:00");
  rig.broker().log().PinSafeTime(At("13:00:00"));
  rig.Advance(minutes(6));
  EXPECT_EQ(FileOf(rig).k.value(), 3);
  EXPECT_EQ(FileOf(rig).complete_through, At("13:00:00"));
}

TEST(CompleteFile, IsNotWrittenWhileTheLeaseMayBeAnothers) {
  LakeRig rig;
  PushTwoHours(rig);
  rig.Start("sink-0");
  rig.Advance(seconds(30));
  rig.broker().Add({.call = Call::kKvPutAll,
                    .times = 1000,
                    .fail_before = Error{.code = ErrorCode::kUnavailable, .message = "down"}});
  rig.broker().log().PinSafeTime(At("11:40:00"));
  rig.Advance(minutes(20));
  EXPECT_EQ(rig.counts().progress.complete_through, At("11:40:00")) << "discovery goes on";
  EXPECT_EQ(FileOf(rig).complete_through, At("11:30:00"));
}

// Three windows; retention took a segment of lane a before the third was built.
void LoseThreeOffsets(LakeRig& rig) {
  PushTwoHours(rig);
  IgnoreError(rig.RunFor(seconds(30)), "judged by the bucket");
  Push(rig, "12:10:00");
  Push(rig, "12:20:00");
  rig.broker().log().DropBefore("orders", "a", Offset(9));
  rig.broker().log().PinSafeTime(At("13:00:00"));
  IgnoreError(rig.RunFor(seconds(30)), "judged by the bucket");
  ASSERT_THAT(rig.Manifests(), SizeIs(3));
  ASSERT_THAT(rig.Manifests()[2].lost, SizeIs(1));
}

TEST(CompleteFile, CountsLossesOverEveryLifeOfASink) {
  LakeRig rig;
  rig.options().checkpoint_every = 1;
  LoseThreeOffsets(rig);
  EXPECT_EQ(FileOf(rig).lost, 3);
  Push(rig, "13:10:00");
  rig.broker().log().PinSafeTime(At("14:00:00"));
  IgnoreError(rig.RunFor(seconds(30)), "judged by the bucket");
  EXPECT_EQ(FileOf(rig).k.value(), 4);
  EXPECT_EQ(FileOf(rig).lost, 3);
}

TEST(CompleteFile, TakesUpTheLossesOfWindowsItMissed) {
  LakeRig rig;
  PushTwoHours(rig);
  IgnoreError(rig.RunFor(seconds(30)), "judged by the bucket");
  Push(rig, "12:10:00");
  Push(rig, "12:20:00");
  rig.broker().log().DropBefore("orders", "a", Offset(9));
  rig.broker().log().PinSafeTime(At("13:00:00"));
  rig.faults().Plant(
      {.operation = store::Operation::kPut, .key_part = "complete.json", .times = 9});
  IgnoreError(rig.RunFor(seconds(30)), "judged by the bucket");
  ASSERT_EQ(FileOf(rig).k.value(), 2) << "the third window's write was lost";
  rig.broker().log().PinSafeTime(At("13:30:00"));
  rig.Start("sink-0");
  rig.Advance(minutes(60));
  EXPECT_EQ(FileOf(rig).k.value(), 3);
  EXPECT_EQ(FileOf(rig).lost, 3);
}

TEST(CompleteFile, NeverFallsBackOverARestart) {
  LakeRig rig;
  PushTwoHours(rig);
  rig.Start("sink-0");
  rig.Advance(seconds(30));
  rig.broker().log().PinSafeTime(At("11:59:00"));
  rig.Advance(minutes(6));
  ASSERT_EQ(FileOf(rig).complete_through, At("11:59:00"));
  rig.Stop();
  // The broker answers no discovery: all the new life knows is the committed window.
  rig.broker().Add({.call = Call::kDiscover,
                    .times = 10'000,
                    .fail_before = Error{.code = ErrorCode::kUnavailable, .message = "down"}});
  rig.Start("sink-0");
  rig.Advance(minutes(11));
  EXPECT_EQ(FileOf(rig).complete_through, At("11:59:00"));
}

}  // namespace
}  // namespace tidemark::testing

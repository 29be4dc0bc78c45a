// Names that a directory cannot hold (decision "Names"): a queue stops at them before it promises
// anything, and only there.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "format/kv_documents.h"
#include "lake/service/queue_outlook.h"
#include "tests/sim/lake_rig.h"
#include "tests/support/run_task.h"

namespace tidemark::testing {
namespace {

using std::chrono::minutes;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const std::string kLongLane(171, 'p');
const std::string kLongQueue(250, 'q');

void UseFiles(LakeRig& rig) {
  rig.options().commit.names_are_files = true;
  rig.options().commit.form.layout = format::Layout::kPerPartition;
}

bool HasRow(LakeRig& rig, const std::string& key) {
  return !rig.broker().kv().GetMany({key}, rig.loop().Now())->empty();
}

// One window with 200 records of `lane` in it, all of one time.
void PushTo(LakeRig& rig, const std::string& lane, const std::string& payload = "1") {
  for (int segment = 0; segment < 20; ++segment)
    rig.broker().log().Append("orders", lane, At("10:20:00"), {10, payload});
  rig.broker().log().PinSafeTime(At("11:00:00"));
}

void ExpectStoppedAtLane(LakeRig& rig) {
  const Status ended = rig.RunFor(minutes(1));
  EXPECT_EQ(ended.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(ended.error().message, HasSubstr("partition \"ppp"));
  EXPECT_THAT(rig.Objects(), IsEmpty());
  EXPECT_FALSE(HasRow(rig, format::IntentKey("default", "orders")));
}

TEST(Names, ALongLaneStopsItsQueueBeforeTheIntent) {
  LakeRig rig;
  UseFiles(rig);
  PushTo(rig, kLongLane);
  ExpectStoppedAtLane(rig);
}

TEST(Names, ALongLaneOfAWindowThatIsReadFromTheLogStopsItToo) {
  LakeRig rig(1, kTightBudgetBytes);
  rig.TightenMemory();
  UseFiles(rig);
  PushTo(rig, kLongLane, HeavyPayload());
  ExpectStoppedAtLane(rig);
}

TEST(Names, ALaneThatJustFitsIsWritten) {
  LakeRig rig;
  UseFiles(rig);
  PushTo(rig, kLongLane.substr(1));
  IgnoreError(rig.RunFor(minutes(1)), "judged by the bucket");
  EXPECT_THAT(rig.Rows(), SizeIs(200));
}

TEST(Names, OneObjectForAllLanesHasNoneOfTheirNames) {
  LakeRig rig;
  rig.options().commit.names_are_files = true;
  PushTo(rig, kLongLane);
  IgnoreError(rig.RunFor(minutes(1)), "judged by the bucket");
  EXPECT_THAT(rig.Rows(), SizeIs(200));
}

TEST(Names, AStoreOfKeysHoldsALongLane) {
  LakeRig rig;
  rig.options().commit.form.layout = format::Layout::kPerPartition;
  PushTo(rig, kLongLane);
  IgnoreError(rig.RunFor(minutes(1)), "judged by the bucket");
  EXPECT_THAT(rig.Rows(), SizeIs(200));
}

void NameQueue(LakeRig& rig, const std::string& queue) {
  rig.broker().log().CreateQueue(queue);
  rig.options().engine.queue = queue;
  rig.options().commit.queue = queue;
  rig.options().lease.queue = queue;
}

TEST(Names, ALongQueueStopsBeforeItsLease) {
  LakeRig rig;
  UseFiles(rig);
  NameQueue(rig, kLongQueue);
  rig.Start("sink-0");
  rig.Advance(minutes(1));
  ASSERT_THAT(rig.ends(), SizeIs(1));
  EXPECT_EQ(rig.ends()[0].error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(rig.ends()[0].error().message, HasSubstr("queue \"qqq"));
  EXPECT_FALSE(HasRow(rig, format::LeaseKey("default", kLongQueue)));
}

// `--check` says what a start would do.
TEST(Names, TheOutlookOfALongQueueIsThatOfItsStart) {
  for (const bool files : {true, false}) {
    LakeRig rig;
    NameQueue(rig, kLongQueue);
    rig.options().commit.names_are_files = files;
    const auto pool = io::NewInlinePool(rig.loop());
    io::ManualClock clock{At("10:00:00")};
    io::SeededRandom random{1};
    const lake::LakeWorld world{.loop = rig.loop(),
                                .pool = *pool,
                                .broker = rig.broker(),
                                .store = rig.bucket(),
                                .clock = clock,
                                .random = random};
    const auto outlook = test::RunTask(
        rig.loop(),
        lake::LookAhead(world, rig.options().commit, rig.options().lease, rig.options().start));
    EXPECT_EQ(outlook.fault.empty(), !files) << outlook.fault;
  }
}

}  // namespace
}  // namespace tidemark::testing

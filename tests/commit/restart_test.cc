// Where a sink begins: documents, checkpoints, and a broker and a bucket that do not fit together.

#include <gtest/gtest.h>

#include "format/object_key.h"
#include "lake/commit/stranded_uploads.h"
#include "tests/commit/commit_rig.h"

namespace tidemark::test {
namespace {

const std::string kIntentKey = format::IntentKey("default", "orders");
const std::string kCommittedKey = format::CommittedKey("default", "orders");

void SetRow(World& world, const std::string& key, const std::string& value) {
  const queen::KvPut put{.key = key, .value = value, .ttl_seconds = {}, .expect = {}};
  ASSERT_TRUE(world.broker.kv().Put(put, world.loop.Now()).has_value());
}

void DropRow(World& world, const std::string& key) {
  const auto row = world.Row(key);
  ASSERT_TRUE(row.has_value());
  ASSERT_TRUE(world.broker.kv().Delete(key, row->version, world.loop.Now()).applied);
}

void PutObject(World& world, const std::string& key, const std::string& body) {
  const auto bytes = std::make_shared<const std::string>(body);
  ASSERT_TRUE(Await(world.loop, world.bucket.Put(key, "", bytes)).has_value());
}

std::string ManifestOf(const std::string& sink, const format::Window& window) {
  format::Manifest manifest;
  manifest.sink = sink;
  manifest.queue = "orders";
  manifest.window = window;
  manifest.format = "jsonl";
  manifest.compression = "zstd";
  manifest.layout = "merged";
  manifest.writer = "w";
  manifest.committed_at = kTen;
  return format::EncodeManifest(manifest);
}

format::Intent IntentOf(const format::Window& window) {
  format::Intent intent;
  intent.window = window;
  intent.writer = "w";
  return intent;
}

void CommitUpTo(World& world, std::int64_t k) {
  Life life(world);
  ASSERT_TRUE(life.CommitUpTo(k).has_value());
}

// Restarts, and expects it to stop for a reason that holds `part`, with nothing written.
void ExpectOutOfStep(World& world, const std::string& part, const format::Form& form = {}) {
  const auto lake = world.Lake();
  const auto committed = world.Row(kCommittedKey);
  Life life(world, "a", form);
  const auto point = life.Restart();
  ASSERT_FALSE(point.has_value());
  EXPECT_EQ(point.error().code, ErrorCode::kCorruption);
  EXPECT_NE(point.error().message.find("out of step"), std::string::npos);
  EXPECT_NE(point.error().message.find(part), std::string::npos) << point.error().message;
  EXPECT_EQ(world.Lake(), lake);
  EXPECT_EQ(world.Row(kCommittedKey).has_value(), committed.has_value());
}

lake::Documents LoadDocuments(Life& life) {
  return *Await(life.world.loop, lake::LoadDocuments(life.context));
}

Status WriteCheckpoint(Life& life, std::int64_t k, std::int64_t committed) {
  lake::Documents documents;
  documents.committed =
      format::Committed{.k = format::WindowNumber(committed), .t_end = kTen, .manifest = ""};
  const format::Checkpoint checkpoint{.k = format::WindowNumber(k),
                                      .t_end = kTen,
                                      .positions = {{.partition = "a", .next = Offset(k)}}};
  return Await(life.world.loop, lake::WriteCheckpoint(life.context, documents, checkpoint, 3));
}

Status WriteCheckpoint(Life& life, std::int64_t k) { return WriteCheckpoint(life, k, k); }

std::vector<std::int64_t> Checkpoints(const World& world) {
  std::vector<std::int64_t> found;
  for (const auto& [key, object] : world.bucket.objects()) {
    const auto k = format::ParseCheckpointKey("queen", "orders", key);
    if (k) found.push_back(k->value());
  }
  return found;
}

TEST(Restart, FindsNothingOfAQueueThatIsNew) {
  World world;
  Life life(world);
  const auto point = life.Restart();
  ASSERT_TRUE(point.has_value()) << point.error().message;
  EXPECT_FALSE(point->redo);
  EXPECT_FALSE(point->documents.committed);
  EXPECT_FALSE(point->checkpoint);
}

TEST(Restart, GoesOnAfterTheCommittedWindow) {
  World world;
  CommitUpTo(world, 3);
  Life life(world);
  const auto point = life.Restart();
  ASSERT_TRUE(point.has_value()) << point.error().message;
  EXPECT_FALSE(point->redo);
  EXPECT_EQ(point->documents.committed_k().value(), 3);
  EXPECT_EQ(point->checkpoint->k.value(), 3);
}

TEST(Restart, WaitsOutABrokerAndABucketThatAreAway) {
  World world;
  CommitUpTo(world, 2);
  Life life(world);
  for (const auto call : {testing::Call::kKvGetMany, testing::Call::kKvPutAll})
    world.broker.FailBefore(call);
  world.broker.Add({.call = testing::Call::kKvGetMany,
                    .nth = 2,
                    .fail_before = Error{.code = ErrorCode::kInternal, .message = "garbled"}});
  world.store.Plant({.operation = store::Operation::kList, .times = 3});
  world.store.Plant({.operation = store::Operation::kGet, .times = 2});
  const auto point = life.Restart();
  ASSERT_TRUE(point.has_value()) << point.error().message;
  EXPECT_EQ(point->checkpoint->k.value(), 2);
}

// Restarts while the bucket's LIST keeps failing and a drain is under way.
Result<lake::RestartPoint> RestartDrained(World& world) {
  Life life(world);
  std::stop_source drain;
  life.context.drain = drain.get_token();
  drain.request_stop();
  world.store.Plant({.operation = store::Operation::kList, .times = 100});
  return life.Restart();
}

TEST(Restart, ADrainEndsTheWaitOfASinkThatHasBegunNothing) {
  World world;
  CommitUpTo(world, 2);
  const auto point = RestartDrained(world);
  ASSERT_FALSE(point.has_value());
  EXPECT_EQ(point.error().code, ErrorCode::kCancelled);
}

TEST(Restart, ADrainWaitsForAWindowThatIsPending) {
  World world;
  CommitUpTo(world, 2);
  SetRow(world, kIntentKey, format::EncodeIntent(IntentOf(WindowOfLog(3).window)));
  const auto point = RestartDrained(world);
  ASSERT_TRUE(point.has_value()) << point.error().message;
  EXPECT_TRUE(point->redo);
}

TEST(Restart, WarnsOfAPrefixThatIsNotThatOfTheLastWindow) {
  World world;
  CommitUpTo(world, 2);
  format::Form form;
  form.prefix = "elsewhere";
  {
    Life changed(world, "a", form);
    ASSERT_TRUE(changed.Restart().has_value());
    ASSERT_EQ(changed.warnings.size(), 1u);
    const std::string what =
        "windows up to 2 lie under prefix \"queen\", later ones go under \"else";
    EXPECT_NE(changed.warnings[0].find(what), std::string::npos) << changed.warnings[0];
  }
  Life unchanged(world);
  ASSERT_TRUE(unchanged.Restart().has_value());
  EXPECT_TRUE(unchanged.warnings.empty());
}

// Complaint C44.
TEST(Restart, AbortsWhatADeadProcessLeftUnfinishedOfItsQueue) {
  World world;
  const std::string ours = format::MergedObjectKey({}, "orders", WindowOfLog(1).window);
  const std::string another = format::MergedObjectKey({}, "orders2", WindowOfLog(1).window);
  for (const std::string& key : {ours, ours, another, std::string("queen/queue=orders/readme")})
    ASSERT_TRUE(Await(world.loop, world.bucket.CreateUpload(key, "text/plain")).has_value());
  Life life(world);
  ASSERT_TRUE(life.Restart().has_value());
  EXPECT_EQ(world.bucket.open_uploads(), 2u);
  EXPECT_TRUE(Await(world.loop, world.bucket.ListUploads(ours))->empty());
  EXPECT_TRUE(life.warnings.empty());
}

// They may be the new owner's by then.
TEST(Restart, AbortsNoUploadWithoutItsLease) {
  World world;
  const std::string key = format::MergedObjectKey({}, "orders", WindowOfLog(1).window);
  ASSERT_TRUE(Await(world.loop, world.bucket.CreateUpload(key, "text/plain")).has_value());
  Life life(world);
  const format::Lease other{.instance = "b", .incarnation = "00000000000000ff"};
  SetRow(world, format::LeaseKey("default", "orders"), format::EncodeLease(other));
  world.store.Plant({.operation = store::Operation::kListUploads,
                     .kind = store::Fault::Kind::kDelay,
                     .delay = std::chrono::seconds(20)});
  Await(world.loop, lake::AbortStrandedUploads(life.context, "queen"));
  EXPECT_EQ(world.bucket.open_uploads(), 1u);
}

TEST(Restart, GoesOnWhenUploadsMayNotBeListed) {
  World world;
  CommitUpTo(world, 1);
  Life life(world);
  world.store.Plant({.operation = store::Operation::kListUploads,
                     .error = {.code = ErrorCode::kPermissionDenied, .message = "403"}});
  ASSERT_TRUE(life.Restart().has_value());
  ASSERT_EQ(life.warnings.size(), 1u);
  EXPECT_NE(life.warnings[0].find("403"), std::string::npos);
}

TEST(Restart, IgnoresAnIntentThatCannotBeReadButKeepsItsVersion) {
  World world;
  CommitUpTo(world, 1);
  SetRow(world, kIntentKey, R"({"k":"two"})");
  Life life(world);
  EXPECT_TRUE(life.CommitUpTo(2).has_value());
  EXPECT_EQ(world.Committed().k.value(), 2);
}

TEST(Restart, StopsAtACommittedDocumentThatCannotBeRead) {
  World world;
  CommitUpTo(world, 1);
  SetRow(world, kCommittedKey, R"({"k":"one"})");
  Life life(world);
  EXPECT_EQ(life.Restart().error().code, ErrorCode::kCorruption);
}

TEST(Restart, StopsWhenTheBrokerForgotWhatTheBucketHolds) {
  World world;
  CommitUpTo(world, 2);
  DropRow(world, kIntentKey);
  DropRow(world, kCommittedKey);
  ExpectOutOfStep(world, "windows/0000000001.json");
}

TEST(Restart, StopsWhenTheBrokerWasRestoredToAnOlderState) {
  World world;
  CommitUpTo(world, 1);
  const std::string intent = world.Row(kIntentKey)->value;
  const std::string committed = world.Row(kCommittedKey)->value;
  CommitUpTo(world, 3);
  SetRow(world, kIntentKey, intent);
  SetRow(world, kCommittedKey, committed);
  ExpectOutOfStep(world, "windows/0000000002.json");
}

TEST(Restart, StopsAtADataObjectThatNoIntentPromises) {
  World world;
  CommitUpTo(world, 1);
  const std::string stray = format::MergedObjectKey({}, "orders", WindowOfLog(2).window);
  PutObject(world, stray, "x");
  ExpectOutOfStep(world, stray);
}

TEST(Restart, StopsAtDataWithoutAnyDocumentOrManifest) {
  World world;
  const std::string stray = format::MergedObjectKey({}, "orders", WindowOfLog(7).window);
  PutObject(world, stray, "x");
  ExpectOutOfStep(world, stray);
}

TEST(Restart, StopsAtTheManifestOfAnotherSink) {
  World world;
  CommitUpTo(world, 1);
  PutObject(world,
            format::ManifestKey("queen", "orders", format::WindowNumber(1)),
            ManifestOf("other", WindowOfLog(1).window));
  ExpectOutOfStep(world, "sink other");
}

TEST(Restart, AcceptsWhatThePendingIntentExplains) {
  World world;
  CommitUpTo(world, 1);
  {
    Life life(world);
    auto point = life.Restart();
    world.broker.Add({.call = testing::Call::kKvPutAll,
                      .nth = 2,
                      .fail_before = Error{.code = ErrorCode::kCancelled, .message = "died"}});
    ASSERT_FALSE(life.Commit(point->documents, WindowOfLog(2)).has_value());
    life.cut.dead = true;
  }
  Life next(world);
  const auto point = next.Restart();
  ASSERT_TRUE(point.has_value()) << point.error().message;
  EXPECT_TRUE(point->redo);
  EXPECT_EQ(point->documents.intent->window, WindowOfLog(2).window);
}

TEST(Restart, StopsAtAManifestThatSaysOtherThanThePendingIntent) {
  World world;
  CommitUpTo(world, 2);
  // Back to where window 2 was pending, but with other bounds.
  format::Intent intent = IntentOf(WindowOfLog(2).window);
  intent.window.end = intent.window.end - 1;
  SetRow(world, kIntentKey, format::EncodeIntent(intent));
  SetRow(world,
         kCommittedKey,
         format::EncodeCommitted(
             {.k = format::WindowNumber(1), .t_end = WindowOfLog(1).window.end, .manifest = ""}));
  ExpectOutOfStep(world, "another window");
}

TEST(Restart, TakesTheNewestCheckpointAtOrBelowTheCommittedWindow) {
  World world;
  CommitUpTo(world, 2);
  PutObject(
      world,
      format::CheckpointKey("queen", "orders", format::WindowNumber(9)),
      format::EncodeCheckpoint({.k = format::WindowNumber(9), .t_end = kTen, .positions = {}}));
  Life life(world);
  EXPECT_EQ(life.Restart()->checkpoint->k.value(), 2);
}

TEST(Restart, FallsBackToAnOlderCheckpointWhenTheNewestIsDamaged) {
  World world;
  CommitUpTo(world, 3);
  PutObject(world, format::CheckpointKey("queen", "orders", format::WindowNumber(3)), "xx");
  Life life(world);
  EXPECT_EQ(life.Restart()->checkpoint->k.value(), 2);
  EXPECT_EQ(life.warnings.size(), 1u);
}

TEST(WriteCheckpoint, KeepsTheNewestTwoAtOrBelowTheCommittedWindow) {
  World world;
  Life life(world);
  for (const std::int64_t k : {0, 1, 9, 2}) ASSERT_TRUE(WriteCheckpoint(life, k).has_value());
  EXPECT_EQ(Checkpoints(world), (std::vector<std::int64_t>{1, 2}));
}

TEST(WriteCheckpoint, KeepsANewerOneOfACommittedWindow) {
  World world;
  Life life(world);
  for (const std::int64_t k : {0, 2, 1}) ASSERT_TRUE(WriteCheckpoint(life, k, 2).has_value());
  EXPECT_EQ(Checkpoints(world), (std::vector<std::int64_t>{1, 2}));
}

TEST(WriteCheckpoint, GivesUpAfterThreeAttempts) {
  World world;
  Life life(world);
  world.store.Plant({.operation = store::Operation::kPut, .times = 100});
  EXPECT_TRUE(IsRetriable(WriteCheckpoint(life, 1).error()));
  EXPECT_EQ(world.store.calls(store::Operation::kPut), 3);
}

TEST(WriteCheckpoint, DoesNotMindOldOnesThatCannotBeDeleted) {
  World world;
  Life life(world);
  world.store.Plant({.operation = store::Operation::kDelete,
                     .error = {.code = ErrorCode::kPermissionDenied, .message = "403"}});
  for (const std::int64_t k : {1, 2, 3}) ASSERT_TRUE(WriteCheckpoint(life, k).has_value());
  EXPECT_EQ(life.warnings.size(), 1u);
}

TEST(WriteStart, MakesTheFirstBoundaryOutliveTheProcess) {
  World world;
  {
    Life life(world);
    auto documents = LoadDocuments(life);
    ASSERT_TRUE(Await(world.loop, lake::WriteStart(life.context, documents, kTen)).has_value());
  }
  Life next(world);
  auto point = next.Restart();
  ASSERT_TRUE(point.has_value()) << point.error().message;
  EXPECT_EQ(point->documents.committed_k().value(), 0);
  EXPECT_EQ(point->documents.committed->t_end, kTen);
  EXPECT_TRUE(next.Commit(point->documents, WindowOfLog(1)).has_value());
}

TEST(PrepareRollback, WritesThePointersAsTheOlderProgramReadsThem) {
  World world;
  CommitUpTo(world, 2);
  {
    Life life(world);
    auto documents = LoadDocuments(life);
    ASSERT_TRUE(Await(world.loop, lake::PrepareRollback(life.context, documents)).has_value());
  }
  EXPECT_NE(world.Row(kCommittedKey)->value.find(R"("tEnd":1788516600000000)"), std::string::npos);
  EXPECT_NE(world.Row(kIntentKey)->value.find(R"("tStart":1788516300000000)"), std::string::npos);
  Life again(world);
  EXPECT_TRUE(again.CommitUpTo(3).has_value());
}

TEST(PrepareRollback, RefusesWhileAWindowIsPending) {
  World world;
  SetRow(world, kIntentKey, format::EncodeIntent(IntentOf(WindowOfLog(1).window)));
  Life life(world);
  auto documents = LoadDocuments(life);
  EXPECT_EQ(Await(world.loop, lake::PrepareRollback(life.context, documents)).error().code,
            ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace tidemark::test

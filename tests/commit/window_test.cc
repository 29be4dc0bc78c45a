// One window after another: what is in bucket and broker, and that nothing passing changes it.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/digest.h"
#include "datafile/reader.h"
#include "format/object_key.h"
#include "tests/commit/commit_rig.h"

namespace tidemark::test {
namespace {

using std::chrono::seconds;
using testing::Call;

const std::string kObject1 =
    "queen/queue=orders/dt=2026-09-04/hour=10/"
    "w-0000000001-1788516000000000-1788516300000000.jsonl.zst";
const std::string kManifest1 = "queen/_queen/orders/windows/0000000001.json";

// The lake of an undisturbed run.
std::map<std::string, std::string> LakeUpTo(std::int64_t k, const format::Form& form = {}) {
  World world;
  Life life(world, "a", form);
  EXPECT_TRUE(life.CommitUpTo(k).has_value());
  return world.Lake();
}

TEST(CommitWindow, LeavesOneObjectOneManifestAndBothPointers) {
  World world;
  Life life(world);
  lake::Documents documents;
  const auto done = life.Commit(documents, WindowOfLog(1));
  ASSERT_TRUE(done.has_value()) << done.error().message;

  const auto lake = world.Lake();
  ASSERT_EQ(lake.size(), 2u);
  const auto manifest = format::DecodeManifest(lake.at(kManifest1));
  ASSERT_TRUE(manifest.has_value());
  EXPECT_EQ(*manifest, done->manifest);
  EXPECT_EQ(manifest->objects.at(0).key, kObject1);
  EXPECT_EQ(manifest->objects.at(0).sha256, ToHex(Sha256Of(lake.at(kObject1))));
  EXPECT_EQ(manifest->bytes, static_cast<std::int64_t>(lake.at(kObject1).size()));
  EXPECT_EQ(manifest->records, 12);
  EXPECT_EQ(manifest->partitions, 3);
  EXPECT_EQ(manifest->min_ts, kTen);
  EXPECT_EQ(manifest->max_ts, kTen + 3 * kMicrosPerSecond);
  EXPECT_EQ(manifest->writer, "tidemark/0.1.0 jsonl+zstd");

  EXPECT_EQ(world.Committed(), done->committed);
  EXPECT_EQ(done->committed.manifest, kManifest1);
  EXPECT_EQ(documents.committed_k().value(), 1);
  EXPECT_FALSE(documents.redo_pending());
  EXPECT_EQ(documents.intent->records, 12);
}

TEST(CommitWindow, WritesTheRecordsInOrder) {
  World world;
  Life life(world);
  lake::Documents documents;
  ASSERT_TRUE(life.Commit(documents, WindowOfLog(1)).has_value());
  std::string rows;
  const auto read = datafile::ReadObject(
      "jsonl.zst", world.Lake().at(kObject1), [&](const format::RecordView& record) {
        rows += fmt::format("{}{} ", record.partition, record.offset.value());
        return true;
      });
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(rows, "a0 a1 a2 a3 b0 b1 b2 b3 c/d0 c/d1 c/d2 c/d3 ");
}

TEST(CommitWindow, WritesOneObjectPerLaneUnderThePerPartitionLayout) {
  World world;
  Life life(world, "a", {.layout = format::Layout::kPerPartition});
  lake::Documents documents;
  ASSERT_TRUE(life.Commit(documents, WindowOfLog(2 - 1)).has_value());
  const auto manifest = format::DecodeManifest(world.Lake().at(kManifest1));
  ASSERT_EQ(manifest->objects.size(), 3u);
  EXPECT_TRUE(manifest->objects[2].key.ends_with("-p-c%2Fd-000000000000-000000000003.jsonl.zst"));
  EXPECT_EQ(manifest->objects[2].lane->partition, "c/d");
  EXPECT_EQ(manifest->objects[2].lane->last, Offset(3));
  EXPECT_EQ(manifest->objects[2].records, 4);
  EXPECT_EQ(manifest->records, 12);
  EXPECT_EQ(manifest->partitions, 3);
}

TEST(CommitWindow, StoresLanesSideBySide) {
  World world;
  Life life(world, "a", {.layout = format::Layout::kPerPartition});
  lake::Documents documents;
  world.store.Plant({.operation = store::Operation::kPut,
                     .key_part = "-p-",
                     .times = 3,
                     .kind = store::Fault::Kind::kDelay,
                     .delay = std::chrono::seconds(2)});
  const io::Duration begin = world.loop.Now();
  ASSERT_TRUE(life.Commit(documents, WindowOfLog(1)).has_value());
  EXPECT_LT(world.loop.Now() - begin, std::chrono::seconds(3));  // three one after the other: six
  EXPECT_EQ(world.Lake(), LakeUpTo(1, {.layout = format::Layout::kPerPartition}));
}

TEST(CommitWindow, ALaneThatFailedIsStoredAgainAndTheOthersAreNot) {
  World world;
  Life life(world, "a", {.layout = format::Layout::kPerPartition});
  lake::Documents documents;
  world.store.Plant({.operation = store::Operation::kPut, .key_part = "-p-b-"});
  ASSERT_TRUE(life.Commit(documents, WindowOfLog(1)).has_value());
  EXPECT_EQ(world.Lake(), LakeUpTo(1, {.layout = format::Layout::kPerPartition}));
  EXPECT_EQ(world.store.calls(store::Operation::kPut), 3 + 1 + 1);  // lanes, one again, manifest
}

TEST(CommitWindow, WritesParquet) {
  const auto lake = LakeUpTo(1, {.data_format = format::DataFormat::kParquet});
  const auto manifest = format::DecodeManifest(lake.at(kManifest1));
  const std::string& object = lake.at(manifest->objects.at(0).key);
  const auto read =
      datafile::ReadObject("parquet", object, [](const format::RecordView&) { return true; });
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->records, 12);
  EXPECT_EQ(manifest->format, "parquet");
}

TEST(CommitWindow, GivesTheSameBytesInPartsAsInOnePut) {
  World world;
  Life life(world);
  life.context.options.multipart_threshold_bytes = 10;
  ASSERT_TRUE(life.CommitUpTo(2).has_value());
  EXPECT_EQ(world.Lake(), LakeUpTo(2));
  EXPECT_EQ(world.bucket.open_uploads(), 0u);
}

TEST(CommitWindow, CarriesLossesInIntentAndManifest) {
  World world;
  Life life(world);
  lake::Documents documents;
  const format::LostRange gap{.partition = "a", .from = Offset(7), .to = Offset(9)};
  const auto done = life.Commit(documents, WindowOfLog(1), {gap});
  ASSERT_TRUE(done.has_value());
  EXPECT_EQ(done->manifest.lost, std::vector{gap});
  EXPECT_EQ(documents.intent->lost, std::vector{gap});
  EXPECT_TRUE(done->lost_unreported.empty());
}

TEST(CommitWindow, PutsLossesThatDoNotFitAnIntentIntoASidecar) {
  World world;
  Life life(world);
  lake::Documents documents;
  std::vector<format::LostRange> gaps;
  gaps.reserve(2'000);
  for (int i = 0; i < 2'000; ++i)
    gaps.push_back({.partition = fmt::format("p{:04}", i), .from = Offset(1), .to = Offset(2)});
  const auto done = life.Commit(documents, WindowOfLog(1), gaps);
  ASSERT_TRUE(done.has_value()) << done.error().message;
  EXPECT_EQ(done->manifest.lost, gaps);
  const std::string sidecar = documents.intent->lost_sidecar;
  ASSERT_TRUE(sidecar.starts_with("queen/_queen/orders/lost/0000000001-"));
  EXPECT_EQ(*format::DecodeLostRanges(world.Lake().at(sidecar)), gaps);
}

TEST(CommitWindow, RepeatsEveryStepThatFailedForAPassingReason) {
  World world;
  Life life(world);
  for (const int nth : {1, 2, 4, 5}) world.broker.FailBefore(Call::kKvPutAll, nth);
  world.store.Plant({.operation = store::Operation::kPut, .key_part = "/w-", .times = 3});
  world.store.Plant({.operation = store::Operation::kPut, .key_part = "/windows/", .times = 3});
  ASSERT_TRUE(life.CommitUpTo(2).has_value());
  EXPECT_EQ(world.Lake(), LakeUpTo(2));
  EXPECT_EQ(world.Committed().k.value(), 2);
}

TEST(CommitWindow, RecognisesEveryStepWhoseAnswerWasLost) {
  World world;
  Life life(world);
  world.broker.Add({.call = Call::kKvPutAll,
                    .times = 5,
                    .fail_after = Error{.code = ErrorCode::kOutcomeUnknown, .message = "reset"}});
  world.store.Plant({.operation = store::Operation::kPut,
                     .times = 4,
                     .kind = store::Fault::Kind::kLoseReply,
                     .error = {.code = ErrorCode::kOutcomeUnknown, .message = "reset"}});
  ASSERT_TRUE(life.CommitUpTo(2).has_value());
  EXPECT_EQ(world.Lake(), LakeUpTo(2));
  EXPECT_EQ(world.Committed().k.value(), 2);
}

TEST(CommitWindow, RepeatsAPutWhoseStoreHasNoRoomOrStoredOtherBytes) {
  World world;
  Life life(world);
  for (const ErrorCode code : {ErrorCode::kExhausted, ErrorCode::kCorruption})
    world.store.Plant({.operation = store::Operation::kPut,
                       .key_part = "/w-",
                       .error = {.code = code, .message = "planted"}});
  ASSERT_TRUE(life.CommitUpTo(1).has_value());
  EXPECT_EQ(world.Lake(), LakeUpTo(1));
}

TEST(CommitWindow, StopsAtARefusedPut) {
  World world;
  Life life(world);
  world.store.Plant({.operation = store::Operation::kPut,
                     .error = {.code = ErrorCode::kPermissionDenied, .message = "403"}});
  lake::Documents documents;
  EXPECT_EQ(life.Commit(documents, WindowOfLog(1)).error().code, ErrorCode::kPermissionDenied);
  EXPECT_TRUE(documents.redo_pending());
}

TEST(CommitWindow, DoesNotFenceItselfWhileItWaitsOutALongOutage) {
  World world;
  Life life(world);
  world.store.Plant({.operation = store::Operation::kPut, .key_part = "/w-", .times = 150});
  ASSERT_TRUE(life.CommitUpTo(1).has_value());
  EXPECT_GT(world.loop.Now(), std::chrono::minutes(20));
  EXPECT_EQ(life.lease.loss(), lake::LeaseLoss::kNone);
}

TEST(CommitWindow, WaitsOnlyMomentsBetweenRepeatsWhileDraining) {
  World world;
  Life life(world);
  std::stop_source drain;
  life.context.drain = drain.get_token();
  world.store.Plant({.operation = store::Operation::kPut, .key_part = "/w-", .times = 40});
  world.loop.Schedule(seconds(200), [&] { drain.request_stop(); });
  ASSERT_TRUE(life.CommitUpTo(1).has_value());
  EXPECT_LT(world.loop.Now(), seconds(215));
}

TEST(CommitWindow, EndsBetweenRepeatsWhenToldToStop) {
  World world;
  Life life(world);
  std::stop_source drain, stop;
  life.context.drain = drain.get_token();
  life.context.stop = stop.get_token();
  world.store.Plant({.operation = store::Operation::kPut, .times = 1'000'000});
  world.loop.Schedule(seconds(100), [&] {
    drain.request_stop();
    stop.request_stop();
  });
  lake::Documents documents;
  EXPECT_EQ(life.Commit(documents, WindowOfLog(1)).error().code, ErrorCode::kCancelled);
  EXPECT_LT(world.loop.Now(), seconds(101));
}

TEST(CommitWindow, ReadsTheSourceAgainWhenItFailedForAPassingReason) {
  World world;
  Life life(world);
  const LogWindow window = WindowOfLog(1);
  ListSource source(window.records);
  source.Fail({.code = ErrorCode::kUnavailable, .message = "fetch"}, 2);
  lake::Documents documents;
  const lake::WindowPlan plan{.window = window.window, .records = source.records(), .lost = {}};
  const auto done = Await(world.loop, lake::CommitWindow(life.context, documents, plan, source));
  ASSERT_TRUE(done.has_value());
  EXPECT_EQ(world.Lake(), LakeUpTo(1));
}

TEST(CommitWindow, DoesNotRepeatForASourceThatIsDamaged) {
  World world;
  Life life(world);
  const LogWindow window = WindowOfLog(1);
  ListSource source(window.records);
  source.Fail({.code = ErrorCode::kCorruption, .message = "bad body"}, 1'000'000);
  lake::Documents documents;
  const lake::WindowPlan plan{.window = window.window, .records = source.records(), .lost = {}};
  const auto done = Await(world.loop, lake::CommitWindow(life.context, documents, plan, source));
  EXPECT_EQ(done.error().code, ErrorCode::kInternal);
}

TEST(CommitWindow, StoresNothingWhenTheSourceGivesFewerRecordsThanPlanned) {
  for (const auto layout : {format::Layout::kMerged, format::Layout::kPerPartition}) {
    World world;
    Life life(world, "a", {.layout = layout});
    const LogWindow window = WindowOfLog(1);
    ListSource source(window.records);
    lake::Documents documents;
    const lake::WindowPlan plan{.window = window.window, .records = 13, .lost = {}};
    const auto done = Await(world.loop, lake::CommitWindow(life.context, documents, plan, source));
    EXPECT_EQ(done.error().code, ErrorCode::kInternal);
    EXPECT_TRUE(world.Lake().empty());
  }
}

TEST(CommitWindow, WritesNothingMoreOnceAnotherOwnerTookTheQueue) {
  World world;
  Life frozen(world, "a");
  auto point = frozen.Restart();
  ASSERT_TRUE(point.has_value());
  frozen.cut.dead = true;  // no refresh gets out for a while
  world.loop.RunUntil(seconds(60));

  Life second(world, "b");
  ASSERT_TRUE(second.CommitUpTo(1).has_value());
  const auto lake = world.Lake();
  const int puts = world.store.calls(store::Operation::kPut);

  frozen.cut.dead = false;
  const auto done = frozen.Commit(point->documents, WindowOfLog(1));
  EXPECT_EQ(done.error().code, ErrorCode::kPreconditionFailed);
  EXPECT_EQ(world.store.calls(store::Operation::kPut), puts);
  EXPECT_EQ(world.Lake(), lake);
}

// The owner is frozen between its intent and its PUT; when it wakes, the lease fences the bucket
// too.
TEST(CommitWindow, StartsNoPutAfterItsLeaseGrewOld) {
  World world;
  Life frozen(world, "a");
  world.store.Plant(
      {.operation = store::Operation::kPut,
       .times = 1,
       .error = {.code = ErrorCode::kUnavailable, .message = "503", .retry_after_ms = 90'000}});
  world.broker.Add({.call = Call::kKvPutAll,
                    .nth = 2,
                    .times = 6,
                    .fail_before = Error{.code = ErrorCode::kUnavailable, .message = "away"}});
  lake::Documents documents;
  const auto done = frozen.Commit(documents, WindowOfLog(1));
  EXPECT_EQ(done.error().code, ErrorCode::kPreconditionFailed);
  EXPECT_EQ(world.store.calls(store::Operation::kPut), 1);
  EXPECT_TRUE(world.Lake().empty());
}

// Gives its records only after a while, as a log does that is read lane by lane.
class SlowSource final : public lake::WindowSource {
 public:
  SlowSource(io::Loop& loop, io::Duration delay, ListSource& inner)
      : loop_(loop), delay_(delay), inner_(inner) {}

  void Rewind() override { inner_.Rewind(); }

  io::Task<Result<std::span<const format::RecordView>>> Next() override {
    co_await io::Sleep(loop_, std::exchange(delay_, {}), {});
    co_return co_await inner_.Next();
  }

 private:
  io::Loop& loop_;
  io::Duration delay_;
  ListSource& inner_;
};

TEST(CommitWindow, StartsNoPutWhenItsLeaseGrewOldWhileItEncoded) {
  World world;
  Life frozen(world, "a");
  world.broker.Add({.call = Call::kKvPutAll,
                    .nth = 2,
                    .times = 6,
                    .fail_before = Error{.code = ErrorCode::kUnavailable, .message = "away"}});
  const LogWindow window = WindowOfLog(1);
  ListSource records(window.records);
  SlowSource source(world.loop, seconds(40), records);
  lake::Documents documents;
  const lake::WindowPlan plan{.window = window.window, .records = records.records(), .lost = {}};
  const auto done = Await(world.loop, lake::CommitWindow(frozen.context, documents, plan, source));
  EXPECT_EQ(done.error().code, ErrorCode::kPreconditionFailed);
  EXPECT_EQ(world.store.calls(store::Operation::kPut), 0);
}

}  // namespace
}  // namespace tidemark::test

// A process dies, the next one finishes its window: same keys, same bytes, whatever has changed
// meanwhile.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zstd.h>

#include "base/compress.h"
#include "base/digest.h"
#include "format/kv_documents.h"
#include "format/object_key.h"
#include "tests/commit/commit_rig.h"

namespace tidemark::test {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr int kCallsMax = 200;

const std::vector<format::Form> kForms{
    {},
    {.data_format = format::DataFormat::kParquet},
    {.codec = format::Codec::kGzip, .layout = format::Layout::kPerPartition}};

std::map<std::string, std::string> LakeUpTo(std::int64_t k, const format::Form& form = {}) {
  World world;
  Life life(world, "a", form);
  EXPECT_TRUE(life.CommitUpTo(k).has_value());
  return world.Lake();
}

// Lives until the call numbered `last_call`; true when it got to the end before.
bool LiveUntilCall(World& world, int last_call, bool acts, const format::Form& form = {}) {
  Life life(world, "a", form, {.calls_left = last_call, .acts = acts});
  return life.CommitUpTo(3).has_value();
}

// Dies right after the call that stores what `key_part` names, or the intent.
void DieAfterIntent(World& world, const format::Form& form = {}) {
  Life life(world, "a", form);
  world.store.Plant({.operation = store::Operation::kPut,
                     .error = {.code = ErrorCode::kCancelled, .message = "died"}});
  lake::Documents documents;
  ASSERT_FALSE(life.Commit(documents, WindowOfLog(1)).has_value());
  life.cut.dead = true;
}

void DieAfterObjects(World& world, const format::Form& form = {}) {
  Life life(world, "a", form);
  world.store.Plant({.operation = store::Operation::kPut,
                     .key_part = "/windows/",
                     .error = {.code = ErrorCode::kCancelled, .message = "died"}});
  lake::Documents documents;
  ASSERT_FALSE(life.Commit(documents, WindowOfLog(1)).has_value());
  life.cut.dead = true;
}

const format::LostRange kLostHead{.partition = "a", .from = Offset(0), .to = Offset(1)};

// What the log still gives of window 1 when retention took kLostHead.
LogWindow Remainder() { return WindowOfLog(1, 4, Offset(2)); }

TEST(RedoWindow, EndsInTheSameLakeWhereverTheProcessDied) {
  for (const format::Form& form : kForms) {
    const auto expected = LakeUpTo(4, form);
    for (const bool acts : {false, true}) {
      int call = 0;
      for (bool finished = false; !finished; ++call) {
        ASSERT_LT(call, kCallsMax);
        World world;
        finished = LiveUntilCall(world, call, acts, form);
        Life next(world, "a", form);
        const Status done = next.CommitUpTo(4);
        ASSERT_TRUE(done.has_value()) << "died at call " << call << ": " << done.error().message;
        ASSERT_EQ(world.Lake(), expected) << "died at call " << call << ", acting: " << acts;
      }
      EXPECT_GT(call, 20);
    }
  }
}

TEST(RedoWindow, EndsInTheSameLakeWhenTheNextProcessDiesToo) {
  const auto expected = LakeUpTo(3);
  for (int first = 0; first < 24; ++first) {
    for (int second = 0; second < 24; ++second) {
      World world;
      LiveUntilCall(world, first, true);
      LiveUntilCall(world, second, second % 2 == 0);
      Life last(world, "b");
      ASSERT_TRUE(last.CommitUpTo(3).has_value());
      ASSERT_EQ(world.Lake(), expected) << "died at calls " << first << " and " << second;
    }
  }
}

TEST(RedoWindow, KeepsTheFormOfTheIntentWhenTheConfigurationChanged) {
  World world;
  DieAfterIntent(world);
  const format::Form changed{.prefix = "other",
                             .data_format = format::DataFormat::kParquet,
                             .layout = format::Layout::kPerPartition,
                             .align = format::Align::kDay};
  Life next(world, "a", changed);
  ASSERT_TRUE(next.CommitUpTo(2).has_value());

  const auto first = LakeUpTo(1);
  const auto lake = world.Lake();
  for (const auto& [key, bytes] : first) EXPECT_EQ(lake.at(key), bytes) << key;
  EXPECT_EQ(lake.size(), first.size() + 4);
  EXPECT_TRUE(lake.contains("other/_queen/orders/windows/0000000002.json"));
}

TEST(RedoWindow, KeepsTheFormWhereHalfTheLanesAreStored) {
  const format::Form lanes{.layout = format::Layout::kPerPartition};
  World world;
  {
    Life life(world, "a", lanes);
    world.store.Plant({.operation = store::Operation::kPut,
                       .key_part = "-p-c",
                       .error = {.code = ErrorCode::kCancelled, .message = "died"}});
    lake::Documents documents;
    ASSERT_FALSE(life.Commit(documents, WindowOfLog(1)).has_value());
    life.cut.dead = true;
  }
  ASSERT_EQ(world.Lake().size(), 2u);
  Life next(world, "a", {});
  ASSERT_TRUE(next.CommitUpTo(1).has_value());
  EXPECT_EQ(world.Lake(), LakeUpTo(1, lanes));
}

TEST(RedoWindow, WritesTheSameManifestLossesAsTheIntent) {
  World world;
  const format::LostRange gap{.partition = "b", .from = Offset(90), .to = Offset(95)};
  {
    Life life(world);
    world.store.Plant({.operation = store::Operation::kPut,
                       .error = {.code = ErrorCode::kCancelled, .message = "died"}});
    lake::Documents documents;
    ASSERT_FALSE(life.Commit(documents, WindowOfLog(1), {gap}).has_value());
    life.cut.dead = true;
  }
  Life next(world);
  auto point = next.Restart();
  ASSERT_TRUE(point.has_value() && point->redo);
  // The redo noticed the same gap again, and one more of records after this window.
  const format::LostRange later{.partition = "a", .from = Offset(40), .to = Offset(44)};
  const auto done = next.Redo(point->documents, WindowOfLog(1), {gap, later});
  ASSERT_TRUE(done.has_value());
  EXPECT_EQ(done->manifest.lost, std::vector{gap});
  EXPECT_EQ(done->lost_unreported, std::vector{later});
}

TEST(RedoWindow, ReadsLossesOutOfTheirSidecar) {
  World world;
  std::vector<format::LostRange> gaps;
  gaps.reserve(2'000);
  for (int i = 0; i < 2'000; ++i)
    gaps.push_back({.partition = fmt::format("p{:04}", i), .from = Offset(1), .to = Offset(2)});
  {
    Life life(world);
    world.store.Plant({.operation = store::Operation::kPut,
                       .key_part = "/w-",
                       .error = {.code = ErrorCode::kCancelled, .message = "died"}});
    lake::Documents documents;
    ASSERT_FALSE(life.Commit(documents, WindowOfLog(1), gaps).has_value());
    life.cut.dead = true;
  }
  Life next(world);
  auto point = next.Restart();
  ASSERT_TRUE(point.has_value() && point->redo);
  EXPECT_EQ(next.Redo(point->documents, WindowOfLog(1))->manifest.lost, gaps);
}

TEST(RedoWindow, AdoptsAFullerObjectThanRetentionLeaves) {
  for (const format::Form& form : kForms) {
    World world;
    DieAfterObjects(world, form);
    Life next(world, "a", form);
    auto point = next.Restart();
    ASSERT_TRUE(point.has_value() && point->redo);
    const auto done = next.Redo(point->documents, Remainder(), {kLostHead});
    ASSERT_TRUE(done.has_value()) << done.error().message;
    EXPECT_EQ(done->manifest.records, 12);
    EXPECT_TRUE(done->manifest.lost.empty());
    EXPECT_TRUE(done->lost_unreported.empty());
    EXPECT_EQ(world.Lake(), LakeUpTo(1, form));
  }
}

TEST(RedoWindow, AdoptsALaneOfWhichTheLogHoldsNothingAnyMore) {
  const format::Form lanes{.layout = format::Layout::kPerPartition};
  World world;
  DieAfterObjects(world, lanes);
  Life next(world, "a", lanes);
  auto point = next.Restart();
  const auto done = next.Redo(point->documents,
                              WindowOfLog(1, 4, Offset(4)),
                              {{.partition = "a", .from = Offset(0), .to = Offset(3)}});
  ASSERT_TRUE(done.has_value()) << done.error().message;
  EXPECT_TRUE(done->manifest.lost.empty());
  EXPECT_EQ(world.Lake(), LakeUpTo(1, lanes));
}

TEST(RedoWindow, ReportsWhatRetentionTookBeforeAnythingWasStored) {
  World world;
  DieAfterIntent(world);
  Life next(world);
  auto point = next.Restart();
  const auto done = next.Redo(point->documents, Remainder(), {kLostHead});
  ASSERT_TRUE(done.has_value()) << done.error().message;
  EXPECT_EQ(done->manifest.records, 10);
  EXPECT_EQ(done->manifest.lost, std::vector{kLostHead});
  EXPECT_TRUE(done->lost_unreported.empty());
  EXPECT_THAT(next.warnings, ElementsAre(HasSubstr("may still bring them")));
}

TEST(RedoWindow, CommitsAWindowOfWhichNothingIsLeft) {
  World world;
  DieAfterIntent(world);
  Life next(world);
  auto point = next.Restart();
  LogWindow nothing = WindowOfLog(1);
  nothing.records.clear();
  const auto done = next.Redo(point->documents, nothing, {kLostHead});
  ASSERT_TRUE(done.has_value()) << done.error().message;
  EXPECT_TRUE(done->manifest.objects.empty());
  EXPECT_FALSE(done->manifest.min_ts);
  EXPECT_EQ(world.Committed().k.value(), 1);
  EXPECT_EQ(world.Lake().size(), 1u);
  EXPECT_THAT(next.warnings,
              ElementsAre(HasSubstr("may still bring them"), HasSubstr("10 of the 12 records")))
      << "a partition was deleted: no range names its offsets";
}

TEST(RedoWindow, WaitsForAPutOfTheFrozenOwnerBeforeItBuildsLess) {
  const std::string object = format::MergedObjectKey({}, "orders", WindowOfLog(1).window);
  const auto full = std::make_shared<const std::string>(LakeUpTo(1).at(object));
  World world;
  DieAfterIntent(world);
  Life next(world);
  auto point = next.Restart();
  const io::Duration begin = world.loop.Now();
  world.loop.Schedule(seconds(140), [&] {
    io::Spawn(world.loop, [](World& in, std::string key, store::Bytes bytes) -> io::Task<void> {
      IgnoreError(co_await in.watched.Put(key, "application/x-ndjson", bytes), "a test's put");
    }(world, object, full));
  });
  const auto done = next.Redo(point->documents, Remainder(), {kLostHead});
  ASSERT_TRUE(done.has_value()) << done.error().message;
  EXPECT_GE(world.loop.Now() - begin, seconds(149));  // a PUT time-out, and the ttl of a namesake
  EXPECT_EQ(done->manifest.records, 12);
  EXPECT_EQ(world.Lake(), LakeUpTo(1));
}

TEST(RedoWindow, ADrainDoesNotWaitForAPutOfTheOwnerBefore) {
  World world;
  DieAfterIntent(world);
  Life next(world);
  auto point = next.Restart();
  std::stop_source drain;
  next.context.drain = drain.get_token();
  world.loop.Schedule(seconds(2), [&] { drain.request_stop(); });
  const io::Duration begin = world.loop.Now();
  const auto done = next.Redo(point->documents, Remainder(), {kLostHead});
  EXPECT_EQ(done.error().code, ErrorCode::kCancelled);
  EXPECT_LT(world.loop.Now() - begin, seconds(3));
  EXPECT_THAT(next.warnings, ElementsAre(HasSubstr("for 150 s a PUT")));
}

TEST(RedoWindow, DoesNotWaitWhenTheLogStillHoldsEverything) {
  World world;
  DieAfterIntent(world);
  Life next(world);
  auto point = next.Restart();
  const io::Duration begin = world.loop.Now();
  ASSERT_TRUE(next.Redo(point->documents, WindowOfLog(1)).has_value());
  EXPECT_LT(world.loop.Now() - begin, seconds(1));
}

TEST(RedoWindow, RefusesMoreRecordsThanTheIntentCounts) {
  World world;
  DieAfterIntent(world);
  Life next(world);
  auto point = next.Restart();
  EXPECT_EQ(next.Redo(point->documents, WindowOfLog(1, 5)).error().code, ErrorCode::kCorruption);
  EXPECT_TRUE(world.Lake().empty());
}

TEST(RedoWindow, BuildsAnObjectAnewThatCannotBeRead) {
  World world;
  DieAfterIntent(world);
  const std::string object = format::MergedObjectKey({}, "orders", WindowOfLog(1).window);
  const auto damaged = std::make_shared<const std::string>("half an obj");
  ASSERT_TRUE(Await(world.loop, world.bucket.Put(object, "", damaged)).has_value());
  Life next(world);
  ASSERT_TRUE(next.CommitUpTo(1).has_value());
  EXPECT_EQ(world.Lake(), LakeUpTo(1));
  EXPECT_EQ(next.warnings.size(), 1u);
}

// The rows of a JSONL object, spelt by another encoder.
std::string CompressedHarder(const std::string& object) {
  const std::string text = *ZstdDecompress(object, 1 << 20);
  std::string bytes(ZSTD_compressBound(text.size()), '\0');
  bytes.resize(ZSTD_compress(bytes.data(), bytes.size(), text.data(), text.size(), 19));
  EXPECT_NE(bytes, object);
  return bytes;
}

// The data objects of window 1 as another writer makes them: the same keys and rows, other bytes.
std::map<std::string, std::string> ObjectsOfAnotherWriter(const format::Form& form) {
  format::Form theirs = form;
  theirs.row_group_records = 2;
  std::map<std::string, std::string> objects;
  for (const auto& [key, bytes] : LakeUpTo(1, theirs)) {
    if (key.find("/_queen/") != std::string::npos) continue;
    const bool lines = form.data_format == format::DataFormat::kJsonl;
    objects[key] = lines ? CompressedHarder(bytes) : bytes;
  }
  return objects;
}

// Where queen-s3 1.5.0 was stopped before it committed window 1, its first.
std::map<std::string, std::string> LeavePendingAs15(World& world, const format::Form& form) {
  const format::Intent intent{.window = WindowOfLog(1).window,
                              .form = form,
                              .writer = "queen-s3/1.5.0",
                              .records = std::nullopt,
                              .lost = {},
                              .lost_sidecar = {}};
  const queen::KvPut put{.key = format::IntentKey("default", "orders"),
                         .value = format::EncodeIntentFor15(intent)};
  EXPECT_TRUE(world.broker.kv().Put(put, world.loop.Now()).has_value());
  auto objects = ObjectsOfAnotherWriter(form);
  for (const auto& [key, bytes] : objects) {
    const auto body = std::make_shared<const std::string>(bytes);
    EXPECT_TRUE(Await(world.loop, world.bucket.Put(key, "", body)).has_value());
  }
  return objects;
}

TEST(RedoWindow, AdoptsWhatQueenS3HasUploadedOfItsPendingWindow) {
  const std::vector<format::Form> forms{
      {},
      {.layout = format::Layout::kPerPartition},
      {.data_format = format::DataFormat::kParquet},
      {.data_format = format::DataFormat::kParquet, .codec = format::Codec::kSnappy}};
  for (const format::Form& form : forms) {
    World world;
    const auto theirs = LeavePendingAs15(world, form);
    Life upgraded(world, "a", form);
    const Status done = upgraded.CommitUpTo(1);
    ASSERT_TRUE(done.has_value()) << done.error().message;

    const auto lake = world.Lake();
    const auto manifest =
        *format::DecodeManifest(lake.at("queen/_queen/orders/windows/0000000001.json"));
    EXPECT_EQ(lake.size(), theirs.size() + 1);
    ASSERT_EQ(manifest.objects.size(), theirs.size());
    for (const format::ManifestObject& object : manifest.objects) {
      EXPECT_EQ(lake.at(object.key), theirs.at(object.key)) << "written again: " << object.key;
      EXPECT_EQ(object.sha256, ToHex(Sha256Of(theirs.at(object.key))));
    }
    EXPECT_EQ(manifest.records, 12);
    EXPECT_EQ(manifest.writer, "queen-s3/1.5.0");
    EXPECT_EQ(world.Committed().k.value(), 1);
    EXPECT_THAT(upgraded.warnings, IsEmpty());
  }
}

TEST(RedoWindow, AdoptsAFullerObjectOfQueenS3ThanRetentionLeaves) {
  World world;
  const auto theirs = LeavePendingAs15(world, {});
  Life upgraded(world);
  auto point = upgraded.Restart();
  ASSERT_TRUE(point.has_value() && point->redo);
  const auto done = upgraded.Redo(point->documents, Remainder(), {kLostHead});
  ASSERT_TRUE(done.has_value()) << done.error().message;
  EXPECT_EQ(done->manifest.records, 12);
  EXPECT_TRUE(done->manifest.lost.empty());
  for (const auto& [key, bytes] : theirs) EXPECT_EQ(world.Lake().at(key), bytes) << key;
}

TEST(RedoWindow, StopsAtAnObjectOfALaneThatTheLogContradicts) {
  const format::Form lanes{.layout = format::Layout::kPerPartition};
  World world;
  DieAfterIntent(world, lanes);
  const std::string other =
      format::LaneObjectKey(lanes, "orders", WindowOfLog(1).window, "a", Offset(2), Offset(3));
  const auto bytes = std::make_shared<const std::string>("no matter what");
  ASSERT_TRUE(Await(world.loop, world.bucket.Put(other, "", bytes)).has_value());
  Life next(world, "a", lanes);
  auto point = next.Restart();
  EXPECT_EQ(next.Redo(point->documents, WindowOfLog(1)).error().code, ErrorCode::kCorruption);
}

}  // namespace
}  // namespace tidemark::test

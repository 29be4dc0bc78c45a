// A process dies, the next one finishes its window: same keys, same bytes, whatever has changed
// meanwhile.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
  EXPECT_THAT(next.warnings, IsEmpty());
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
  EXPECT_THAT(next.warnings, ElementsAre(HasSubstr("10 of the 12 records")))
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

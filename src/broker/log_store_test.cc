#include "broker/log_store.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "broker/test_store.h"

namespace tidemark::broker {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;

std::string Item(const std::string& partition,
                 const std::string& id,
                 const std::string& payload = "1") {
  return fmt::format(R"({{"queue":"q","partition":"{}","transactionId":"{}","payload":{}}})",
                     partition,
                     id,
                     payload);
}

std::string Push(TestStore& store, const std::vector<std::string>& items) {
  return store.Push(fmt::format(R"({{"items":[{}]}})", fmt::join(items, ",")));
}

std::vector<std::string> Statuses(const std::string& answer) {
  std::vector<std::string> statuses;
  for (const auto& item : Json::parse(answer)) statuses.push_back(item["status"]);
  return statuses;
}

Json Lane(TestStore& store, const std::string& partition, std::int64_t offset = 0) {
  return Json::parse(store.FetchLane("q", partition, offset))["entries"][0];
}

std::vector<std::int64_t> Offsets(const Json& lane) {
  std::vector<std::int64_t> offsets;
  for (const auto& record : lane["records"]) offsets.push_back(record["offset"]);
  return offsets;
}

using Numbers = std::vector<std::int64_t>;
using Words = std::vector<std::string>;

TEST(LogStore, AFetchAnswersWhatWasPushed) {
  TestStore store;
  Push(store, {Item("a", "t-0", "{\"n\":1.50}"), Item("a", "t-1", "null")});
  EXPECT_EQ(
      store.FetchLane("q", "a", 0),
      R"({"entries":[{"queue":"q","partition":"a","records":[)"
      R"({"offset":0,"transactionId":"t-0","payload":{"n":1.50},"ts":"2026-09-04T10:00:00.000000Z"},)"
      R"({"offset":1,"transactionId":"t-1","payload":null,"ts":"2026-09-04T10:00:00.000000Z"}],)"
      R"("highWatermark":2,"logStartOffset":0}]})");
}

TEST(LogStore, KeepsAPayloadsTextVerbatim) {
  TestStore store;
  const std::string payload = R"({ "z":1e400, "a":12345678901234567890123, "a":"\u0041\/\ud800",)"
                              "\n\t\"é\" : [ 1.0 ,-0 ] }";
  Push(store, {Item("a", "t", payload)});
  EXPECT_THAT(store.FetchLane("q", "a", 0), HasSubstr("\"payload\":" + payload + ",\"ts\""));
}

TEST(LogStore, OffsetsGoOnFromPushToPush) {
  TestStore store;
  Push(store, {Item("a", "1"), Item("b", "1"), Item("a", "2")});
  Push(store, {Item("a", "3")});
  EXPECT_EQ(Offsets(Lane(store, "a")), (Numbers{0, 1, 2}));
  EXPECT_EQ(Offsets(Lane(store, "b")), (Numbers{0}));
}

TEST(LogStore, AFetchMayStartInsideASegment) {
  TestStore store;
  Push(store, {Item("a", "1"), Item("a", "2"), Item("a", "3")});
  EXPECT_EQ(Offsets(Lane(store, "a", 1)), (Numbers{1, 2}));
}

TEST(LogStore, StampsDoNotFallWhenTheClockDoes) {
  TestStore store;
  Push(store, {Item("a", "1")});
  store.clock().Set(kTestStart - kMicrosPerHour);
  Push(store, {Item("a", "2")});
  const Json lane = Lane(store, "a");
  EXPECT_LE(lane["records"][0]["ts"], lane["records"][1]["ts"]);
}

TEST(LogStore, AnswersTheThreeKindsOfOffset) {
  TestStore store;
  Push(store, {Item("a", "1")});
  EXPECT_FALSE(Lane(store, "a", 1).contains("error"));
  EXPECT_EQ(Lane(store, "a", 2)["error"], "OFFSET_OUT_OF_RANGE");
  EXPECT_FALSE(Lane(store, "never-written", 0).contains("error"));
  EXPECT_EQ(Lane(store, "never-written", 1)["error"], "OFFSET_OUT_OF_RANGE");
}

TEST(LogStore, AnUnknownQueueIsMarked) {
  TestStore store;
  const Json lane = Json::parse(store.FetchLane("nope", "a", 0))["entries"][0];
  EXPECT_EQ(lane["error"], "UNKNOWN_TOPIC_OR_PARTITION");
  EXPECT_EQ(lane["highWatermark"], 0);
}

// ---- budgets

std::string Large(char c) { return "\"" + std::string(300'000, c) + "\""; }

TEST(LogStore, TheFirstSegmentOfACallIsDeliveredWhateverTheBudget) {
  TestStore store;
  Push(store, {Item("a", "1", Large('x')), Item("a", "2", Large('y'))});
  const Json answer = Json::parse(
      store.Fetch(R"({"entries":[{"queue":"q","partition":"a","offset":0,"maxBytes":1}]})"));
  EXPECT_EQ(Offsets(answer["entries"][0]), (Numbers{0}));
}

TEST(LogStore, ALaterEntryGetsNothingAboveItsBudget) {
  TestStore store;
  Push(store, {Item("a", "1"), Item("b", "1")});
  const Json answer = Json::parse(
      store.Fetch(R"({"entries":[{"queue":"q","partition":"a","offset":0,"maxBytes":1},)"
                  R"({"queue":"q","partition":"b","offset":0,"maxBytes":1}]})"));
  EXPECT_EQ(Offsets(answer["entries"][0]), (Numbers{0}));
  EXPECT_EQ(Offsets(answer["entries"][1]), (Numbers{}));
  EXPECT_EQ(answer["entries"][1]["highWatermark"], 1);
}

TEST(LogStore, ALargePushIsReadInPartsWithOneStamp) {
  TestStore store;
  Push(store, {Item("a", "1", Large('x')), Item("a", "2", Large('y')), Item("a", "3", Large('z'))});
  const Json lane = Json::parse(store.Fetch(
      R"({"entries":[{"queue":"q","partition":"a","offset":0,"maxBytes":700000}]})"))["entries"][0];
  EXPECT_EQ(Offsets(lane), (Numbers{0, 1}));
  EXPECT_EQ(lane["records"][0]["ts"], Lane(store, "a", 2)["records"][0]["ts"]);
}

TEST(LogStore, AnEntryEndsAtTenThousandRecords) {
  TestStore store;
  std::vector<std::string> items;
  items.reserve(10'050);
  for (int i = 0; i < 10'050; ++i) items.push_back(Item("a", std::to_string(i)));
  Push(store, items);
  const Json lane = Json::parse(store.Fetch(
      R"({"entries":[{"queue":"q","partition":"a","offset":20,"maxBytes":8388608}]})"))["entries"]
                                                                                       [0];
  EXPECT_EQ(lane["records"].size(), 10'000u);
  EXPECT_EQ(lane["records"].back()["offset"], 10'019);
}

// ---- duplicates

TEST(LogStore, ARepeatedTransactionIdWritesNothing) {
  TestStore store;
  const std::string first = Push(store, {Item("a", "t"), Item("a", "t")});
  EXPECT_EQ(Statuses(first), (Words{"queued", "duplicate"}));
  const std::string second = Push(store, {Item("a", "t"), Item("a", "u")});
  EXPECT_EQ(Statuses(second), (Words{"duplicate", "queued"}));
  EXPECT_EQ(Offsets(Lane(store, "a")), (Numbers{0, 1}));
  EXPECT_EQ(Json::parse(first)[0]["message_id"], Json::parse(second)[0]["message_id"]);
}

TEST(LogStore, TheSameIdInAnotherPartitionIsNoDuplicate) {
  TestStore store;
  EXPECT_EQ(Statuses(Push(store, {Item("a", "t"), Item("b", "t")})), (Words{"queued", "queued"}));
}

TEST(LogStore, RemembersTransactionIdsAfterARestart) {
  TestStore store;
  Push(store, {Item("a", "t")});
  store.Reopen();
  EXPECT_EQ(Statuses(Push(store, {Item("a", "t"), Item("a", "u")})),
            (Words{"duplicate", "queued"}));
  store.ReopenAfterCrash();
  EXPECT_EQ(Statuses(Push(store, {Item("a", "u")})), (Words{"duplicate"}));
}

TEST(LogStore, ARepeatAfterTheQueuesWindowIsANewRecord) {
  TestStore store;
  store.Configure("q", {.dedup_window_seconds = 10});
  Push(store, {Item("a", "t")});
  store.clock().Set(kTestStart + 9 * kMicrosPerSecond);
  EXPECT_EQ(Statuses(Push(store, {Item("a", "t")})), (Words{"duplicate"}));
  store.clock().Set(kTestStart + 10 * kMicrosPerSecond);
  EXPECT_EQ(Statuses(Push(store, {Item("a", "t")})), (Words{"queued"}));
}

TEST(LogStore, AWindowOfZeroSwitchesItOff) {
  TestStore store;
  store.Configure("q", {.dedup_window_seconds = 0});
  EXPECT_EQ(Statuses(Push(store, {Item("a", "t"), Item("a", "t")})), (Words{"queued", "queued"}));
}

TEST(LogStore, TheWindowHoldsAsManyRecordsAsItSays) {
  TestStore store({.dir = "", .dedup_records_max = 3});
  Push(store, {Item("a", "1"), Item("a", "2"), Item("a", "3"), Item("a", "4")});
  EXPECT_EQ(Statuses(Push(store, {Item("a", "2"), Item("a", "1")})),
            (Words{"duplicate", "queued"}));
}

TEST(LogStore, ItemsWithoutTransactionIdAreNeverDuplicatesAndGetOne) {
  TestStore store;
  const Json first = Json::parse(store.PushOne("q", "a", "1"))[0];
  const Json second = Json::parse(store.PushOne("q", "a", "1"))[0];
  EXPECT_EQ(second["status"], "queued");
  EXPECT_NE(first["transactionId"], second["transactionId"]);
  EXPECT_EQ(first["transactionId"], first["message_id"]);
  EXPECT_EQ(Lane(store, "a")["records"][0]["transactionId"], first["transactionId"]);
}

// ---- restarts, queues

TEST(LogStore, EverythingAnsweredIsThereAfterACrash) {
  TestStore store;
  Push(store, {Item("a", "1"), Item("b", "1")});
  store.Kv(R"([{"ns":"n","op":"put","key":"k","value":1,"forever":true}])");
  store.Configure("other", {.retention_enabled = true, .retention_seconds = 60});
  const std::string before = store.FetchLane("q", "a", 0);
  store.ReopenAfterCrash();
  EXPECT_EQ(store.FetchLane("q", "a", 0), before);
  EXPECT_THAT(store.Kv(R"([{"ns":"n","op":"get","key":"k"}])"), HasSubstr("\"value\":1"));
  EXPECT_EQ(store.store().catalog().Queues()[0].options.retention_seconds, 60);
  Push(store, {Item("a", "2")});
  EXPECT_EQ(Offsets(Lane(store, "a")), (Numbers{0, 1}));
}

TEST(LogStore, AFolderIsOpenOnce) {
  TestStore store;
  io::SeededRandom random(1);
  const auto second = LogStore::Open(store.options(), store.clock(), random, {});
  EXPECT_EQ(second.error().code, ErrorCode::kAlreadyExists);
}

TEST(LogStore, ADeletedQueueIsGoneAndStartsAfreshWhenMadeAgain) {
  TestStore store;
  Push(store, {Item("a", "1"), Item("a", "2")});
  EXPECT_TRUE(store.DeleteQueue("q"));
  EXPECT_EQ(Lane(store, "a")["error"], "UNKNOWN_TOPIC_OR_PARTITION");
  EXPECT_EQ(Statuses(Push(store, {Item("a", "1", "\"new\"")})), (Words{"queued"}));
  const Json lane = Lane(store, "a");
  EXPECT_EQ(Offsets(lane), (Numbers{0}));
  EXPECT_EQ(lane["records"][0]["payload"], "new");
}

TEST(LogStore, SweepingADeletedQueueSparesTheOneMadeAfterIt) {
  TestStore store;
  Push(store, {Item("a", "1")});
  ASSERT_TRUE(store.DeleteQueue("q"));
  Push(store, {Item("a", "1")});
  ASSERT_TRUE(store.store().Housekeep());
  store.Reopen();
  EXPECT_EQ(Offsets(Lane(store, "a")), (Numbers{0}));
}

TEST(LogStore, DeletingAnUnknownQueueSaysSo) {
  TestStore store;
  EXPECT_EQ(store.DeleteQueue("nope").error().code, ErrorCode::kNotFound);
}

// ---- retention

TEST(LogStore, RetentionRaisesTheLogStartAndOffsetsGoOn) {
  TestStore store;
  store.Configure("q", {.retention_enabled = true, .retention_seconds = 60});
  Push(store, {Item("a", "1"), Item("a", "2")});
  store.clock().Set(kTestStart + 61 * kMicrosPerSecond);
  Push(store, {Item("a", "3")});
  ASSERT_TRUE(store.store().Housekeep());
  const Json below = Lane(store, "a", 1);
  EXPECT_EQ(below["error"], "OFFSET_OUT_OF_RANGE");
  EXPECT_EQ(below["logStartOffset"], 2);
  EXPECT_EQ(Offsets(Lane(store, "a", 2)), (Numbers{2}));
  store.ReopenAfterCrash();
  EXPECT_EQ(Lane(store, "a", 1)["logStartOffset"], 2);
}

TEST(LogStore, APartitionWhoseRecordsAllExpiredGoesOnCounting) {
  TestStore store;
  store.Configure("q", {.retention_enabled = true, .retention_seconds = 60});
  Push(store, {Item("a", "1")});
  store.clock().Set(kTestStart + kMicrosPerHour);
  ASSERT_TRUE(store.store().Housekeep());
  store.Reopen();
  EXPECT_EQ(Lane(store, "a", 1)["highWatermark"], 1);
  Push(store, {Item("a", "2")});
  EXPECT_EQ(Offsets(Lane(store, "a", 1)), (Numbers{1}));
}

TEST(LogStore, AQueueWithoutRetentionKeepsEverything) {
  TestStore store;
  Push(store, {Item("a", "1")});
  store.clock().Set(kTestStart + 365 * kMicrosPerDay);
  ASSERT_TRUE(store.store().Housekeep());
  EXPECT_EQ(Offsets(Lane(store, "a")), (Numbers{0}));
}

TEST(LogStore, ASinksCommittedPointerHoldsRetentionBack) {
  TestStore store;
  store.Configure(
      "q", {.retention_enabled = true, .retention_seconds = 60, .retention_sink_hold = "lake"});
  Push(store, {Item("a", "1")});
  store.clock().Set(kTestStart + kMicrosPerHour);
  Push(store, {Item("a", "2")});
  const auto commit = [&](Micros end) {
    store.Kv(fmt::format(R"([{{"ns":"queen-s3","op":"put","key":"s3:lake:q:committed",)"
                         R"("value":{{"k":1,"tEnd":"{}"}},"forever":true}}])",
                         FormatIso(end)));
  };
  commit(kTestStart + 60 * kMicrosPerSecond);
  store.clock().Set(kTestStart + 2 * kMicrosPerHour);
  ASSERT_TRUE(store.store().Housekeep());
  EXPECT_EQ(Lane(store, "a")["logStartOffset"], 0);
  commit(kTestStart + 60 * kMicrosPerSecond + 1);
  ASSERT_TRUE(store.store().Housekeep());
  EXPECT_EQ(Lane(store, "a")["logStartOffset"], 1);
}

// ---- safe time

TEST(LogStore, ASafeTimeOutlivesACrashAndAClockThatFellMeanwhile) {
  TestStore store;
  store.clock().Set(kTestStart + kMicrosPerHour);
  const Micros safe = store.SafeTime();
  EXPECT_EQ(safe, kTestStart + kMicrosPerHour);
  store.clock().Set(kTestStart);
  store.ReopenAfterCrash();
  Push(store, {Item("a", "1")});
  EXPECT_GE(ParseIso(Lane(store, "a")["records"][0]["ts"].get<std::string>()).value(), safe);
}

TEST(LogStore, ACleanStopLeavesNoReserveBehind) {
  TestStore store;
  store.SafeTime();
  store.Reopen();
  Push(store, {Item("a", "1")});
  EXPECT_EQ(Lane(store, "a")["records"][0]["ts"], FormatIso(kTestStart));
}

class JumpingClock final : public io::Clock {
 public:
  Micros Now() const override { return kTestStart + now_.load(); }

  void Set(std::int64_t now) { now_ = now; }

 private:
  std::atomic<std::int64_t> now_ = 0;
};

struct Sighting {
  Micros safe;
  std::map<std::string, Offset> next;
};

std::vector<Sighting> Discover(LogStore& store, const std::atomic<bool>& done) {
  std::vector<Sighting> sightings;
  while (!done) {
    std::promise<Result<Micros>> safe;
    store.SafeTime([&](Result<Micros> answer) { safe.set_value(std::move(answer)); });
    const auto answer = safe.get_future().get();
    if (!answer) continue;  // the clock jumped each time it was asked
    Sighting sighting{.safe = *answer, .next = {}};
    for (const auto& listed : store.catalog()
                                  .PageByName("q", std::nullopt, 100)
                                  .value_or(std::vector<ListedPartition>())) {
      sighting.next[listed.name] = listed.state.next;
    }
    sightings.push_back(std::move(sighting));
  }
  return sightings;
}

// The promise itself: what a discovery did not list is stamped at or above the safe time it
// answered.
TEST(LogStore, NothingUnlistedIsEverBelowASafeTimeUnderConcurrentWritersAndAJumpingClock) {
  TestStore fixture;  // for its folder
  LogStoreOptions options = fixture.options();
  options.dir += "-concurrent";
  JumpingClock clock;
  io::SeededRandom random(3);
  auto store = LogStore::Open(options, clock, random, [](const auto&) {}).value();

  std::atomic<bool> done = false;
  auto discovery = std::async(std::launch::async, [&] { return Discover(*store, done); });
  {
    std::vector<std::jthread> writers;
    writers.reserve(4);
    for (unsigned w = 0; w < 4; ++w) {
      writers.emplace_back([&, w] {
        std::mt19937 jumps(w);
        for (int i = 0; i < 60; ++i) {
          clock.Set(static_cast<std::int64_t>(jumps() % 10'000'000));
          std::promise<void> pushed;
          auto request = PushRequest::Parse(fmt::format(
              R"({{"items":[{{"queue":"q","partition":"{}","payload":1}}]}})", (w + jumps()) % 7));
          store->Push(std::move(*request), [&](const Result<std::string>&) { pushed.set_value(); });
          pushed.get_future().get();
        }
      });
    }
  }
  done = true;
  const std::vector<Sighting> sightings = discovery.get();
  ASSERT_FALSE(sightings.empty());
  std::size_t records = 0;
  for (int p = 0; p < 7; ++p) {
    const std::string name = std::to_string(p);
    const FetchRequest request{.entries = {{.queue = "q", .partition = name, .offset = Offset(0)}}};
    const Json lane = Json::parse(store->Fetch(request).value().body)["entries"][0];
    for (const auto& record : lane["records"]) {
      ++records;
      const Micros ts = ParseIso(record["ts"].get<std::string>()).value();
      for (const Sighting& sighting : sightings) {
        const auto next = sighting.next.find(name);
        const bool listed = next != sighting.next.end() && record["offset"] < next->second.value();
        ASSERT_TRUE(listed || ts >= sighting.safe) << name << " " << record["offset"];
      }
    }
  }
  EXPECT_EQ(records, 240u);
}

}  // namespace
}  // namespace tidemark::broker

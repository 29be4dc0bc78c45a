#include "broker/discovery.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "broker/test_store.h"

namespace tidemark::broker {
namespace {

using Json = nlohmann::json;

Json Discover(TestStore& store, const std::string& entry) {
  const auto entries = ParseDiscovery(R"({"entries":[)" + entry + "]}");
  TIDEMARK_CHECK(entries, "{}", entries.error().message);
  const Micros safe = store.SafeTime();
  return Json::parse(RenderDiscovery(store.store().catalog(), *entries, safe))["entries"][0];
}

std::vector<std::string> Names(const Json& page) {
  std::vector<std::string> names;
  for (const auto& partition : page["partitions"]) names.push_back(partition["name"]);
  return names;
}

using Words = std::vector<std::string>;

TEST(Discovery, ListsWhatAPartitionHolds) {
  TestStore store;
  store.PushOne("q", "a", "1");
  store.PushOne("q", "a", "2");
  EXPECT_EQ(Discover(store, R"({"queue":"q","since":null,"after":null,"limit":1000})"),
            Json::parse(R"({"queue":"q","partitions":[{"name":"a","lastOffset":1,"logStart":0,)"
                        R"("lastWriteAt":"2026-09-04T10:00:00.000000Z"}],"next":null})"));
}

TEST(Discovery, PagesByNameAndAFullPageAlwaysHasANext) {
  TestStore store;
  for (const auto* name : {"c", "a", "b", "d"}) store.PushOne("q", name, "1");
  const Json first = Discover(store, R"({"queue":"q","limit":2})");
  EXPECT_EQ(Names(first), (Words{"a", "b"}));
  EXPECT_EQ(first["next"], "n|b");
  const Json second = Discover(store, R"({"queue":"q","limit":2,"after":"n|b"})");
  EXPECT_EQ(Names(second), (Words{"c", "d"}));
  EXPECT_EQ(second["next"], "n|d");
  const Json third = Discover(store, R"({"queue":"q","limit":2,"after":"n|d"})");
  EXPECT_EQ(Names(third), Words{});
  EXPECT_EQ(third["next"], nullptr);
}

TEST(Discovery, SinceOrdersByWriteTimeThenName) {
  TestStore store;
  store.PushOne("q", "z", "1");
  store.PushOne("q", "y", "1");
  store.clock().Set(kTestStart + 5 * kMicrosPerSecond);
  store.PushOne("q", "a", "1");
  const Json all = Discover(store, R"({"queue":"q","since":"2026-09-04T10:00:00Z","limit":2})");
  EXPECT_EQ(Names(all), (Words{"y", "z"}));
  EXPECT_EQ(all["next"], "t|1788516000000000|z");
  const Json rest = Discover(
      store, R"({"queue":"q","since":"2026-09-04T10:00:00Z","after":"t|1788516000000000|z"})");
  EXPECT_EQ(Names(rest), Words{"a"});
  EXPECT_EQ(Names(Discover(store, R"({"queue":"q","since":"2026-09-04T10:00:05.000001Z"})")),
            Words{});
}

TEST(Discovery, ANameMayHoldABar) {
  TestStore store;
  store.PushOne("q", "a|b", "1");
  store.PushOne("q", "a|c", "1");
  const Json first = Discover(store, R"({"queue":"q","since":"2026-09-04T10:00:00Z","limit":1})");
  EXPECT_EQ(first["next"], "t|1788516000000000|a|b");
  EXPECT_EQ(
      Names(Discover(
          store,
          R"({"queue":"q","since":"2026-09-04T10:00:00Z","after":"t|1788516000000000|a|b"})")),
      Words{"a|c"});
}

TEST(Discovery, LastWriteAtIsExactFirstThenFlooredAndNeverFalls) {
  TestStore store;
  const auto last_write = [&] {
    return Discover(store, R"({"queue":"q"})")["partitions"][0]["lastWriteAt"].get<std::string>();
  };
  store.clock().Set(kTestStart + 300'000);
  store.PushOne("q", "a", "1");
  EXPECT_EQ(last_write(), "2026-09-04T10:00:00.300000Z");
  store.clock().Set(kTestStart + 900'000);
  store.PushOne("q", "a", "1");
  EXPECT_EQ(last_write(), "2026-09-04T10:00:00.300000Z");
  store.clock().Set(kTestStart + 1'900'000);
  store.PushOne("q", "a", "1");
  EXPECT_EQ(last_write(), "2026-09-04T10:00:01.000000Z");
  store.Reopen();
  EXPECT_EQ(last_write(), "2026-09-04T10:00:01.000000Z");
}

TEST(Discovery, APartitionThatMovesIsStillFoundOnceByItsNewTime) {
  TestStore store;
  store.PushOne("q", "a", "1");
  store.clock().Set(kTestStart + 5 * kMicrosPerSecond);
  store.PushOne("q", "a", "1");
  EXPECT_EQ(Names(Discover(store, R"({"queue":"q","since":"2026-09-04T09:00:00Z"})")), Words{"a"});
}

TEST(Discovery, TheOtherModesCursorIsRefused) {
  TestStore store;
  store.PushOne("q", "a", "1");
  EXPECT_EQ(Discover(store, R"({"queue":"q","after":"t|1|a"})"),
            Json::parse(R"({"queue":"q","error":"BAD_CURSOR"})"));
  for (const auto* cursor : {"n|a", "t|x|a", "t|1", "t|1|", "a"}) {
    EXPECT_EQ(Discover(store,
                       std::string(R"({"queue":"q","since":"2026-09-04T10:00:00Z","after":")") +
                           cursor + "\"}")["error"],
              "BAD_CURSOR")
        << cursor;
  }
}

TEST(Discovery, AnUnknownQueueIsMarked) {
  TestStore store;
  EXPECT_EQ(Discover(store, R"({"queue":"x"})"),
            Json::parse(R"({"queue":"x","error":"UNKNOWN_TOPIC_OR_PARTITION"})"));
}

TEST(Discovery, NoEntriesAnswerTheSafeTimeAlone) {
  EXPECT_EQ(RenderDiscovery(Catalog(), {}, kTestStart),
            R"({"safeTime":"2026-09-04T10:00:00.000000Z","safeTimeDegraded":false,"entries":[]})");
}

}  // namespace
}  // namespace tidemark::broker

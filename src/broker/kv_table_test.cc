#include "broker/kv_table.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "broker/test_store.h"

namespace tidemark::broker {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;

Json Results(TestStore& store, const std::string& ops) {
  const std::string answer = store.Kv(ops);
  TIDEMARK_CHECK(answer.starts_with(R"({"results":)"), "{}", answer);
  return Json::parse(answer)["results"];
}

std::string Put(const std::string& key, const std::string& value, const std::string& more = "") {
  return fmt::format(
      R"({{"ns":"n","op":"put","key":"{}","value":{},"forever":true{}}})", key, value, more);
}

std::string Get(const std::string& key) {
  return fmt::format(R"({{"ns":"n","op":"get","key":"{}"}})", key);
}

Json One(TestStore& store, const std::string& op) { return Results(store, "[" + op + "]")[0]; }

TEST(Kv, AValueComesBackVerbatimAndApartFromNotFound) {
  TestStore store;
  const std::string answer =
      store.Kv("[" + Put("k", R"({ "b":1.50,"a":null })") + "," + Get("k") + "]");
  EXPECT_THAT(answer,
              HasSubstr(R"("found":true,"key":"k","value":{ "b":1.50,"a":null },"version":)"));
  EXPECT_EQ(One(store, Put("null", "null"))["applied"], true);
  EXPECT_EQ(One(store, Get("null"))["found"], true);
  EXPECT_EQ(One(store, Get("absent"))["found"], false);
}

TEST(Kv, VersionsChangeWithEveryWriteAndAreNeverTheNextNumber) {
  TestStore store;
  std::int64_t last = One(store, Put("k", "1"))["version"];
  for (int i = 0; i < 200; ++i) {
    const std::int64_t version = One(store, Put("k", "1"))["version"];
    EXPECT_GT(version, last + 1);
    last = version;
  }
}

TEST(Kv, VersionsGoOnAfterARestart) {
  TestStore store;
  const std::int64_t before = One(store, Put("k", "1"))["version"];
  store.ReopenAfterCrash();
  EXPECT_GT(One(store, Put("k", "2"))["version"], before + 1);
}

TEST(Kv, ExpectZeroMeansAbsent) {
  TestStore store;
  EXPECT_EQ(One(store, Put("k", "1", R"(,"expect":0)"))["applied"], true);
  const Json lost = One(store, Put("k", "2", R"(,"expect":0)"));
  EXPECT_EQ(lost["applied"], false);
  EXPECT_EQ(lost["reason"], "exists");
  EXPECT_EQ(lost["value"], 1);
}

TEST(Kv, ExpectAVersionIsAPureUpdate) {
  TestStore store;
  EXPECT_EQ(One(store, Put("k", "1", R"(,"expect":7)"))["reason"], "absent");
  const std::int64_t version = One(store, Put("k", "1"))["version"];
  EXPECT_EQ(One(store, Put("k", "2", fmt::format(R"(,"expect":{})", version + 1)))["reason"],
            "version");
  EXPECT_EQ(One(store, Put("k", "2", fmt::format(R"(,"expect":{})", version)))["applied"], true);
}

TEST(Kv, PutIfAbsentIsNamedPutInTheAnswer) {
  TestStore store;
  const std::string op = R"({"ns":"n","op":"putIfAbsent","key":"k","value":1,"forever":true})";
  EXPECT_EQ(One(store, op)["op"], "put");
  EXPECT_EQ(One(store, op)["reason"], "exists");
}

TEST(Kv, ALostRequiredConditionUndoesTheWholeBatch) {
  TestStore store;
  const std::int64_t version = One(store, Put("b", R"({"instance":"b"})"))["version"];
  const Json answer = Json::parse(
      store.Kv("[" + Put("a", "1") + "," + Put("b", "2", R"(,"expect":1,"required":true)") + "]"));
  EXPECT_EQ(answer,
            Json({{"ok", false},
                  {"reason", "kv_precondition"},
                  {"failedIndex", 1},
                  {"kvReason", "version"},
                  {"version", version},
                  {"value", {{"instance", "b"}}}}));
  EXPECT_EQ(One(store, Get("a"))["found"], false);
}

TEST(Kv, ALargeWinnerIsLeftOutOfALostBatchsAnswer) {
  TestStore store;
  One(store, Put("k", "\"" + std::string(5000, 'x') + "\""));
  EXPECT_EQ(store.Kv("[" + Put("k", "2", R"(,"expect":0,"required":true)") + "]"),
            R"({"ok":false,"reason":"kv_precondition"})");
}

TEST(Kv, AnUnrequiredLossLeavesTheOthersDone) {
  TestStore store;
  const Json results =
      Results(store, "[" + Put("a", "1", R"(,"expect":5)") + "," + Put("b", "1") + "]");
  EXPECT_EQ(results[0]["applied"], false);
  EXPECT_EQ(results[1]["applied"], true);
}

TEST(Kv, AnExpiredRowIsAbsent) {
  TestStore store;
  const std::string lease = R"({"ns":"n","op":"put","key":"k","value":1,"ttlSeconds":30})";
  One(store, lease);
  store.clock().Set(kTestStart + 30 * kMicrosPerSecond - 1);
  EXPECT_EQ(One(store, Get("k"))["found"], true);
  store.clock().Set(kTestStart + 30 * kMicrosPerSecond);
  EXPECT_EQ(One(store, Get("k"))["found"], false);
  EXPECT_EQ(One(store, Put("k", "2", R"(,"expect":0)"))["applied"], true);
}

TEST(Kv, HousekeepingRemovesExpiredRowsOnly) {
  TestStore store;
  One(store, R"({"ns":"n","op":"put","key":"old","value":1,"ttlSeconds":1})");
  One(store, Put("kept", "1"));
  store.clock().Set(kTestStart + kMicrosPerHour);
  ASSERT_TRUE(store.store().Housekeep());
  store.clock().Set(kTestStart);  // the expired row would be alive again
  EXPECT_EQ(One(store, Get("old"))["found"], false);
  EXPECT_EQ(One(store, Get("kept"))["found"], true);
}

TEST(Kv, ReadsSeeTheWritesOfTheirBatchWhereverTheyStand) {
  TestStore store;
  const Json results =
      Results(store, R"([{"ns":"n","op":"getMany","keys":["k","x"]},)" + Put("k", "1") + "]");
  EXPECT_EQ(results[0]["index"], 0);
  EXPECT_EQ(results[0]["rows"][0]["value"], 1);
  EXPECT_EQ(results[0]["missing"], Json({"x"}));
}

TEST(Kv, PrefixesArePaged) {
  TestStore store;
  Results(store,
          "[" + Put("s3:a", "1") + "," + Put("s3:b", "2") + "," + Put("s3:c", "3") + "," +
              Put("s4", "4") + "]");
  const Json first = One(store, R"({"ns":"n","op":"getPrefix","prefix":"s3:","limit":2})");
  EXPECT_EQ(first["rows"].size(), 2u);
  EXPECT_EQ(first["truncated"], true);
  EXPECT_EQ(first["nextAfter"], "s3:b");
  const Json rest =
      One(store, R"({"ns":"n","op":"getPrefix","prefix":"s3:","after":"s3:b","keysOnly":true})");
  EXPECT_EQ(rest["rows"].size(), 1u);
  EXPECT_EQ(rest["rows"][0]["key"], "s3:c");
  EXPECT_FALSE(rest["rows"][0].contains("value"));
  EXPECT_EQ(rest["truncated"], false);
  EXPECT_EQ(rest["nextAfter"], nullptr);
}

TEST(Kv, WhatTheReadBudgetCutsIsNeitherFoundNorMissing) {
  TestStore store;
  std::string keys;
  const std::string value = "\"" + std::string(65'000, 'x') + "\"";
  for (int i = 0; i < 70; ++i) {
    One(store, Put(fmt::format("k{}", i), value));
    keys += fmt::format("{}\"k{}\"", i > 0 ? "," : "", i);
  }
  const Json many = One(store, R"({"ns":"n","op":"getMany","keys":[)" + keys + "]}");
  EXPECT_EQ(many["rows"].size(), (std::size_t{4} << 20) / value.size());
  EXPECT_EQ(many["missing"].size(), 0u);
  EXPECT_EQ(many["truncated"], true);
  // A page for which nothing was left begins again where it should have.
  const Json both = Results(store,
                            R"([{"ns":"n","op":"getMany","keys":[)" + keys +
                                R"(]},{"ns":"n","op":"getPrefix","prefix":"k","after":"k5"}])");
  EXPECT_EQ(both[1]["rows"].size(), 0u);
  EXPECT_EQ(both[1]["truncated"], true);
  EXPECT_EQ(both[1]["nextAfter"], "k5");
}

TEST(Kv, DeleteRemovesUnderItsCondition) {
  TestStore store;
  const std::int64_t version = One(store, Put("k", "1"))["version"];
  EXPECT_EQ(One(store, R"({"ns":"n","op":"delete","key":"k","expect":1})")["reason"], "version");
  const Json done =
      One(store, fmt::format(R"({{"ns":"n","op":"delete","key":"k","expect":{}}})", version));
  EXPECT_EQ(done["applied"], true);
  EXPECT_EQ(done["version"], 0);
  EXPECT_EQ(One(store, Get("k"))["found"], false);
  EXPECT_EQ(One(store, R"({"ns":"n","op":"delete","key":"k"})")["reason"], "absent");
}

std::string Incr(const std::string& delta, const std::string& more = "") {
  return R"({"ns":"n","op":"incr","key":"c","forever":true,"delta":)" + delta + more + "}";
}

TEST(Kv, IncrCountsFromZeroWithinItsLimits) {
  TestStore store;
  EXPECT_EQ(One(store, Incr("5"))["value"], 5);
  EXPECT_EQ(One(store, Incr("-2"))["value"], 3);
  EXPECT_EQ(One(store, Incr("8", R"(,"max":10)"))["reason"], "limit");
  EXPECT_EQ(One(store, Incr("-4", R"(,"min":0)"))["reason"], "limit");
  EXPECT_EQ(One(store, Incr("9223372036854775807"))["reason"], "limit");
  EXPECT_EQ(One(store, Get("c"))["value"], 3);
}

TEST(Kv, IncrOfWhatIsNoIntegerIsRefusedWithItsType) {
  TestStore store;
  One(store, Put("c", "1.5"));
  EXPECT_EQ(One(store, Incr("1"))["reason"], "type");
}

TEST(Kv, NamespacesAreApart) {
  TestStore store;
  One(store, Put("k", "1"));
  EXPECT_EQ(One(store, R"({"ns":"other","op":"get","key":"k"})")["found"], false);
}

}  // namespace
}  // namespace tidemark::broker

#include "queen/kv_decoder.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace tidemark::queen {
namespace {

std::string Results(const std::string& results) { return R"({"results":[)" + results + "]}"; }

TEST(DecodeKvGetMany, ReturnsRowsWithTheTextOfTheirValues) {
  const auto rows = DecodeKvGetMany(
      Results(R"({"index":0,"op":"getMany","rows":[{"key":"a","value":{ "f": 1.50 },"version":41}],
                  "missing":["b"],"truncated":false})"),
      {"a", "b"});
  ASSERT_EQ(rows.value().size(), 1u);
  EXPECT_EQ(rows->at(0).key, "a");
  EXPECT_EQ(rows->at(0).value, R"({ "f": 1.50 })");
  EXPECT_EQ(rows->at(0).version, 41);
}

TEST(DecodeKvGetMany, AKeyThatTheReadBudgetCutIsNotAbsent) {
  const auto rows = DecodeKvGetMany(
      Results(R"({"index":0,"rows":[],"missing":["b"],"truncated":true})"), {"a", "b"});
  EXPECT_EQ(rows.error().code, ErrorCode::kInternal);
  EXPECT_NE(rows.error().message.find("key a"), std::string::npos);
}

TEST(DecodeKvGetMany, ARowIsOfAKeyThatWasAskedAndThereOnce) {
  constexpr std::string_view kA = R"({"key":"a","value":1,"version":1})";
  for (const std::string_view other :
       {kA, std::string_view(R"({"key":"c","value":1,"version":1})"), std::string_view("{}")}) {
    const auto answer =
        DecodeKvGetMany(Results(fmt::format(R"({{"index":0,"rows":[{},{}]}})", kA, other)), {"a"});
    EXPECT_FALSE(answer.has_value()) << other;
  }
}

TEST(DecodeKvGetPrefix, ReturnsTheRowsInTheirOrder) {
  const auto rows = DecodeKvGetPrefix(
      Results(R"({"index":0,"op":"getPrefix","rows":[{"key":"s3:a","value":{"h":1},"version":3},
                  {"key":"s3:b","value":2,"version":9}],"truncated":false,"nextAfter":null})"));
  ASSERT_EQ(rows.value().size(), 2u);
  EXPECT_EQ(rows->at(0).value, R"({"h":1})");
  EXPECT_EQ(rows->at(1).key, "s3:b");
}

TEST(DecodeKvOne, AnAppliedPutHasItsVersion) {
  const auto result =
      DecodeKvOne(Results(R"({"index":0,"op":"put","applied":true,"version":11,"value":{"a":1}})"));
  EXPECT_TRUE(result.value().applied);
  EXPECT_EQ(result->version, 11);
  EXPECT_EQ(result->current_value, "");
}

TEST(DecodeKvOne, ALostPutShowsTheWinner) {
  const auto result = DecodeKvOne(Results(
      R"({"index":0,"applied":false,"reason":"version","version":99,"value":{"instance":"b"}})"));
  EXPECT_FALSE(result.value().applied);
  EXPECT_EQ(result->version, 99);
  EXPECT_EQ(result->current_value, R"({"instance":"b"})");
}

TEST(DecodeKvOne, ADeleteOfWhatIsNotThereHasVersionZero) {
  const auto result = DecodeKvOne(
      Results(R"({"index":0,"applied":false,"reason":"absent","version":null,"value":null})"));
  EXPECT_EQ(result.value().version, 0);
  EXPECT_EQ(result->current_value, "");
}

TEST(DecodeKvBatch, AlignsVersionsByIndex) {
  const auto result = DecodeKvBatch(
      Results(R"({"index":1,"applied":true,"version":9},{"index":0,"applied":true,"version":7})"),
      2);
  EXPECT_EQ(result.value().versions, (std::vector<std::int64_t>{7, 9}));
}

TEST(DecodeKvBatch, ALostPreconditionIsAValue) {
  const auto result = DecodeKvBatch(
      R"({"ok":false,"reason":"kv_precondition","failedIndex":1,"kvReason":"version",
          "version":99,"value":{"instance":"b"}})",
      2);
  EXPECT_FALSE(result.value().applied);
  EXPECT_EQ(result->failed_index, 1u);
}

TEST(DecodeKvBatch, AMissingFailedIndexIsUnknownNotZero) {
  const auto result = DecodeKvBatch(R"({"ok":false,"reason":"kv_precondition"})", 2);
  EXPECT_FALSE(result.value().applied);
  EXPECT_EQ(result->failed_index, std::nullopt);
}

class UnreadableBatch : public ::testing::TestWithParam<const char*> {};

TEST_P(UnreadableBatch, IsInternal) {
  const auto result = DecodeKvBatch(GetParam(), 2);
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, ErrorCode::kInternal);
}

INSTANTIATE_TEST_SUITE_P(
    Bodies,
    UnreadableBatch,
    ::testing::Values(
        "{}",
        R"({"ok":false,"reason":"something_else"})",
        R"({"results":[{"index":0,"applied":true,"version":1}]})",
        R"({"results":[{"index":0,"applied":true,"version":1},{"index":0,"applied":true,"version":2}]})",
        R"({"results":[{"index":0,"applied":true,"version":1},{"index":2,"applied":true,"version":2}]})",
        R"({"results":[{"index":0,"applied":true,"version":1},{"applied":true,"version":2}]})",
        R"({"results":[{"index":0,"applied":true,"version":1},{"index":1,"applied":false}]})"));

}  // namespace
}  // namespace tidemark::queen

// Bodies of push, fetch, discovery and the queue options: what is taken, clamped and refused.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker/fetch_request.h"
#include "broker/push_request.h"
#include "broker/queue_options.h"

namespace tidemark::broker {
namespace {

using ::testing::HasSubstr;

std::string PushError(const std::string& body) {
  const auto request = PushRequest::Parse(body);
  return request ? "accepted" : request.error().message;
}

TEST(PushRequest, GroupsItemsByLaneInOrder) {
  const auto request = PushRequest::Parse(
      R"({"items":[{"queue":"q","partition":"a","payload":1},{"queue":"q","payload":2},)"
      R"({"queue":"q","partition":"a","payload":3},{"queue":"q","partition":7,"payload":4}]})");
  ASSERT_TRUE(request);
  ASSERT_EQ(request->lanes().size(), 3u);
  EXPECT_EQ(request->lanes()[0].items, (std::vector<std::size_t>{0, 2}));
  EXPECT_EQ(request->lanes()[1].partition, "Default");
  EXPECT_EQ(request->lanes()[2].partition, "7");
}

TEST(PushRequest, StaysValidWhenMoved) {
  auto request = PushRequest::Parse(R"({"items":[{"queue":"q","payload":1}]})");
  const PushRequest moved = std::move(*request);
  EXPECT_EQ(moved.items()[0].payload, "1");
  EXPECT_EQ(moved.lanes()[0].queue, "q");
}

TEST(PushRequest, IgnoresWhatItDoesNotKnow) {
  EXPECT_EQ(PushError(R"({"x":[1],"items":[{"queue":"q","payload":null,"traceId":"t","y":{}}]})"),
            "accepted");
}

TEST(PushRequest, SaysWhatIsMissing) {
  EXPECT_THAT(PushError("{}"), HasSubstr("items is missing"));
  EXPECT_THAT(PushError(R"({"items":[{"payload":1}]})"), HasSubstr("items[0] has no queue"));
  EXPECT_THAT(PushError(R"({"items":[{"queue":"q","payload":1},{"queue":"q"}]})"),
              HasSubstr("items[1] has no payload"));
}

TEST(PushRequest, RefusesWhatIsNotWhole) {
  for (const auto* body : {"",
                           "[]",
                           "{\"items\":[{\"queue\":\"q\",\"payload\":1}]",
                           R"({"items":{}})",
                           R"({"items":[{"queue":"q","payload":01}]})",
                           R"({"items":[{"queue":"","payload":1}]})",
                           R"({"items":[{"queue":"q\u0000","payload":1}]})",
                           R"({"items":[{"queue":"q","payload":1,"transactionId":5}]})",
                           R"({"items":[]} x)",
                           R"({"items":[],"items":[]})"}) {
    EXPECT_NE(PushError(body), "accepted") << body;
  }
}

TEST(PushRequest, RefusesWhatIsNotUtf8) {
  EXPECT_THAT(PushError("{\"items\":[{\"queue\":\"q\",\"payload\":\"\xff\"}]}"),
              HasSubstr("UTF-8"));
}

TEST(FetchRequest, HasTheBrokersDefaults) {
  const auto request = ParseFetch(R"({"entries":[{"queue":"q","offset":3}]})").value();
  EXPECT_EQ(request.entries[0].partition, "Default");
  EXPECT_EQ(request.entries[0].max_bytes, 1'048'576);
  EXPECT_EQ(request.max_wait_ms, 0);
  EXPECT_EQ(request.min_bytes, 1);
}

TEST(FetchRequest, ClampsWhatIsOutOfRange) {
  const auto request =
      ParseFetch(R"({"entries":[{"queue":"q","partition":12,"offset":0,"maxBytes":99999999},)"
                 R"({"queue":"q","offset":0,"maxBytes":-5}],"maxWaitMs":999999,"minBytes":-1})")
          .value();
  EXPECT_EQ(request.entries[0].partition, "12");
  EXPECT_EQ(request.entries[0].max_bytes, 8'388'608);
  EXPECT_EQ(request.entries[1].max_bytes, 1);
  EXPECT_EQ(request.max_wait_ms, 30'000);
  EXPECT_EQ(request.min_bytes, 0);
}

std::string Entries(std::size_t n) {
  std::string body = R"({"entries":[)";
  for (std::size_t i = 0; i < n; ++i)
    body += i > 0 ? R"(,{"queue":"q","offset":0})" : R"({"queue":"q","offset":0})";
  return body + "]}";
}

TEST(FetchRequest, TakesAThousandAndTwentyFourEntries) {
  EXPECT_TRUE(ParseFetch(Entries(1024)));
  EXPECT_FALSE(ParseFetch(Entries(1025)));
}

TEST(FetchRequest, RefusesANegativeOffset) {
  EXPECT_THAT(ParseFetch(R"({"entries":[{"queue":"q","offset":-1}]})").error().message,
              HasSubstr("negative offset"));
}

TEST(DiscoveryRequest, TakesSixtyFourQueuesAndClampsTheLimit) {
  EXPECT_TRUE(ParseDiscovery(Entries(64)));
  EXPECT_FALSE(ParseDiscovery(Entries(65)));
  EXPECT_EQ(ParseDiscovery(R"({"entries":[{"queue":"q","limit":5000}]})").value()[0].limit, 1000u);
  EXPECT_EQ(ParseDiscovery(R"({"entries":[{"queue":"q","limit":0}]})").value()[0].limit, 1u);
}

TEST(DiscoveryRequest, RefusesAnEmptyQueueAndASinceThatIsNoTime) {
  EXPECT_FALSE(ParseDiscovery(R"({"entries":[{"queue":""}]})"));
  EXPECT_FALSE(ParseDiscovery(R"({"entries":[{"queue":"q","since":"yesterday"}]})"));
}

Result<QueueOptions> Options(std::string_view text) {
  JsonCursor json(text);
  return ReadQueueOptions(json);
}

TEST(QueueOptions, WhatIsRenderedIsReadBack) {
  const QueueOptions options{.name_space = "n\"s",
                             .task = "t",
                             .retention_enabled = true,
                             .retention_seconds = 7,
                             .completed_retention_seconds = 10,
                             .max_wait_seconds = 8,
                             .dedup_window_seconds = 9,
                             .retention_sink_hold = "lake-1",
                             .retention_sink_hold_max_seconds = 60};
  EXPECT_EQ(Options(RenderQueueOptions(options)), options);
}

TEST(QueueOptions, NamesWhatItRefuses) {
  for (const std::string name : {"retentionSeconds",
                                 "completedRetentionSeconds",
                                 "maxWaitTimeSeconds",
                                 "dedupWindowSeconds"}) {
    const auto refused = Options(fmt::format(R"({{"{}":-1}})", name));
    ASSERT_FALSE(refused) << name;
    EXPECT_THAT(refused.error().message, HasSubstr("options." + name + " is -1; 0 to "));
  }
}

TEST(QueueOptions, HoldsAreRefusedOutOfRangeNotClamped) {
  EXPECT_FALSE(Options(R"({"retentionSinkHoldMaxSeconds":59})"));
  EXPECT_FALSE(Options(R"({"retentionSinkHoldMaxSeconds":31536001})"));
  EXPECT_FALSE(Options(R"({"retentionSinkHold":"a/b"})"));
  EXPECT_FALSE(Options(R"({"retentionSinkHold":")" + std::string(65, 'a') + "\"}"));
  EXPECT_TRUE(Options(R"({"retentionSinkHold":""})"));
}

TEST(QueueOptions, AnEncryptionThatWouldNotHappenIsRefused) {
  EXPECT_TRUE(Options(R"({"encryptionEnabled":false,"unknown":[1]})"));
  EXPECT_FALSE(Options(R"({"encryptionEnabled":true})"));
}

}  // namespace
}  // namespace tidemark::broker

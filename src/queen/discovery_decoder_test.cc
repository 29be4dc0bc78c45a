#include "queen/discovery_decoder.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tidemark::queen {
namespace {

const std::vector<DiscoveryEntry> kOrders{{.queue = "orders"}};

std::string Body(const std::string& entry) {
  return R"({"safeTime":"2026-09-04T10:00:00.000000Z","safeTimeDegraded":true,"entries":[)" +
         entry + "]}";
}

TEST(DecodeDiscovery, ReadsPartitionsAndTheNextCursor) {
  const auto answer = DecodeDiscovery(
      Body(R"({"queue":"orders","partitions":[{"name":"cust-7","lastOffset":121,"logStart":100,
               "lastWriteAt":"2026-09-04T10:00:01.000000Z"}],"next":"n|cust-7"})"),
      kOrders);
  EXPECT_EQ(answer.value().safe_time, Micros(1'788'516'000'000'000));
  EXPECT_TRUE(answer->safe_time_degraded);
  const auto& entry = answer->entries.at(0);
  EXPECT_EQ(entry.next, "n|cust-7");
  EXPECT_EQ(entry.partitions.at(0).name, "cust-7");
  EXPECT_EQ(entry.partitions.at(0).last_offset, Offset(121));
  EXPECT_EQ(entry.partitions.at(0).log_start, Offset(100));
  EXPECT_EQ(entry.partitions.at(0).last_write_at, Micros(1'788'516'001'000'000));
}

TEST(DecodeDiscovery, ANullCursorEndsThePass) {
  const auto answer =
      DecodeDiscovery(Body(R"({"queue":"orders","partitions":[],"next":null})"), kOrders);
  EXPECT_EQ(answer.value().entries.at(0).next, "");
}

TEST(DecodeDiscovery, ReadsTheErrorOfAnEntry) {
  const auto answer = DecodeDiscovery(Body(R"({"queue":"orders","error":"BAD_CURSOR"})"), kOrders);
  EXPECT_EQ(answer.value().entries.at(0).error, EntryError::kBadCursor);
}

TEST(DecodeDiscovery, WithoutSafeTimeItIsUnreadable) {
  const auto answer = DecodeDiscovery(R"({"entries":[{"queue":"orders"}]})", kOrders);
  EXPECT_EQ(answer.error().code, ErrorCode::kInternal);
}

TEST(DecodeDiscovery, OtherQueuesThanAskedAreUnreadable) {
  EXPECT_FALSE(DecodeDiscovery(Body(R"({"queue":"clicks"})"), kOrders).has_value());
  EXPECT_FALSE(DecodeDiscovery(Body(""), kOrders).has_value());
}

TEST(DecodeQueueList, KeepsOnlyNamesInOrder) {
  const auto names = DecodeQueueList(
      R"({"queues":[{"name":"b","partitions":3},{"name":""},{"id":1},{"name":"a"}],"total":4})");
  EXPECT_EQ(names.value(), (std::vector<std::string>{"b", "a"}));
}

}  // namespace
}  // namespace tidemark::queen

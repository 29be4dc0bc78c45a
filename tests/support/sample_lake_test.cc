#include "tests/support/sample_lake.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "base/digest.h"

namespace tidemark::test {
namespace {

// Records by queue, ascending by (name bytes, offset): both hours of a lane joined.
std::map<std::string, std::map<std::pair<std::string, std::int64_t>, SampleRecord>> ByQueue() {
  std::map<std::string, std::map<std::pair<std::string, std::int64_t>, SampleRecord>> queues;
  for (const auto& window : SampleLake()) {
    for (const auto& record : window.records) {
      queues[window.queue].insert({{record.partition, record.offset.value()}, record});
    }
  }
  return queues;
}

std::string DigestOf(const std::string& queue) {
  std::string text;
  const auto queues = ByQueue();
  for (const auto& [key, record] : queues.at(queue)) {
    text += fmt::format("{}|{}\n", key.first, key.second);
  }
  return ToHex(Sha256Of(text));
}

TEST(SampleLake, HasTheGoldenRowsOfOrders) {
  EXPECT_EQ(ByQueue().at("orders").size(), 2280U);
  EXPECT_EQ(DigestOf("orders"), "2e4fa448807cae9b955239d29f135cd8169f4aa7f6bc8851142de7da74a3474a");
}

TEST(SampleLake, HasTheGoldenRowsOfAudit) {
  EXPECT_EQ(ByQueue().at("audit").size(), 2720U);
  EXPECT_EQ(DigestOf("audit"), "ef922cb814c276b6938372d88301f41f8df5f77fa94e726bfcffc0ce279ecd98");
}

TEST(SampleLake, HasTheGoldenRowsOfBothQueues) {
  std::string text;
  for (const auto& [queue, records] : ByQueue()) {
    for (const auto& [key, record] : records) {
      text += fmt::format("{}|{}|{}\n", queue, key.first, key.second);
    }
  }
  EXPECT_EQ(ToHex(Sha256Of(text)),
            "b4db6382f301ad763aaab896a3354dbeca54a76e9837d83c7121df70e7831fce");
}

TEST(SampleLake, HasSevenNullPayloadsAQueue) {
  for (const auto& [queue, records] : ByQueue()) {
    const auto nulls = std::ranges::count_if(
        records, [](const auto& entry) { return entry.second.payload.empty(); });
    EXPECT_EQ(nulls, 7) << queue;
  }
}

TEST(SampleLake, PutsSixtyPercentIntoTheFirstHour) {
  std::vector<std::size_t> sizes;
  for (const auto& window : SampleLake()) sizes.push_back(window.records.size());
  EXPECT_THAT(sizes, testing::ElementsAre(1632U, 1088U, 1368U, 912U));
}

TEST(SampleLake, KeepsEveryStampInItsWindowAndRisingWithTheOffset) {
  for (const auto& [queue, window, records] : SampleLake()) {
    const SampleRecord* before = nullptr;
    for (const auto& record : records) {
      EXPECT_GE(record.ts, window.start);
      EXPECT_LT(record.ts, window.end);
      if (before != nullptr && before->partition == record.partition) {
        EXPECT_GE(record.ts, before->ts);
        EXPECT_EQ(record.offset, before->offset + 1);
      }
      before = &record;
    }
  }
}

}  // namespace
}  // namespace tidemark::test

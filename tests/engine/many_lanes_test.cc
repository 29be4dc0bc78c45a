// Memory and fetch ceilings of the engine over many lanes (queen-interface 17.1): what is held does
// not grow with their number, beyond the decided bytes of each.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/engine/engine_rig.h"

namespace tidemark::testing {
namespace {

using ::testing::SizeIs;

constexpr std::int64_t kBudget = std::int64_t{8} << 20;
constexpr std::int64_t kPayloadBytes = 400;
// Of the 200 that the decision "Memory" allows for a lane: the rest is for copies of its position.
constexpr std::int64_t kLaneBytesMax = 180;

std::int64_t HeapInUse() {
  const auto info = mallinfo2();
  return static_cast<std::int64_t>(info.uordblks + info.hblkhd);
}

// A broker with one record in each of `lanes` lanes, a millisecond apart, that itself keeps none of
// them; and an engine that reads them all.
class OneRecordEach {
 public:
  explicit OneRecordEach(std::int64_t lanes) : lanes_(lanes) {
    lake::EngineStart start;
    start.t_prev = At("10:00:00");
    lake::FetchLimits fetch;
    fetch.call_bytes = std::int64_t{1} << 20;
    heap_before_ = HeapInUse();
    engine_.emplace(
        lake::EngineOptions{.queue = "orders", .rules = NoGuard(), .fetch = fetch}, start, budget_);
  }

  void ReadAll() {
    while (records_ < lanes_) {
      const std::int64_t before = records_;
      Poll();
      // Calls wait for their answers as long as others may come: that is when most is reserved.
      if (!calls_.empty()) {
        const lake::FetchCall call = std::move(calls_.front());
        calls_.erase(calls_.begin());
        AnswerFetch(call);
      } else if (records_ == before && !Discover()) {
        break;
      }
      peak_ = std::max(peak_, budget_.used());
    }
  }

  std::int64_t records() const { return records_; }

  std::int64_t peak() const { return peak_; }

  std::int64_t HeapOfALane() const { return (HeapInUse() - heap_before_) / lanes_; }

 private:
  void Poll() {
    auto actions = engine_->Poll();
    for (auto& call : actions.fetches) calls_.push_back(std::move(call));
    if (actions.discover)
      page_from_ = actions.discover->after.empty() ? 0 : std::stoll(actions.discover->after);
    if (actions.plan) {
      records_ += actions.plan->facts.records;
      actions.plan.reset();
      engine_->OnCommitted({}, {});
    }
  }

  bool Discover() {
    if (!page_from_) return false;
    const std::int64_t from = *std::exchange(page_from_, std::nullopt);
    const std::int64_t to =
        std::min(from + static_cast<std::int64_t>(queen::kDiscoveryPageMax), lanes_);
    queen::DiscoveryEntryAnswer page{.queue = "orders"};
    for (std::int64_t n = from; n < to; ++n) {
      page.partitions.push_back(
          {.name = NameOf(n), .last_offset = Offset(0), .last_write_at = StampOf(n)});
    }
    if (to < lanes_) page.next = std::to_string(to);
    engine_->OnDiscovery(page, At("12:00:00"));
    return true;
  }

  void AnswerFetch(const lake::FetchCall& call) {
    std::vector<queen::RecordSlice> records;
    for (const auto& entry : call.request.entries) {
      const auto at = static_cast<std::uint32_t>(std::ssize(records) * kPayloadBytes);
      records.push_back({.offset = Offset(0),
                         .ts = StampOf(std::stoll(entry.partition.substr(9))),
                         .payload_at = at,
                         .payload_size = kPayloadBytes});
    }
    const std::size_t count = records.size();
    queen::FetchAnswer answer{.body = std::make_shared<queen::AnswerBody>(
                                  std::string(count * kPayloadBytes, 'x'), std::move(records)),
                              .entries = std::vector<queen::FetchEntryAnswer>(count)};
    for (std::size_t i = 0; i < count; ++i) {
      answer.entries[i].records = answer.body->records().subspan(i, 1);
      answer.entries[i].high_watermark = Offset(1);
    }
    engine_->OnFetch(call.id, std::move(answer));
  }

  static std::string NameOf(std::int64_t n) { return fmt::format("customer-{:08}", n); }

  static Micros StampOf(std::int64_t n) { return At("10:00:00") + n * kMicrosPerMilli; }

  const std::int64_t lanes_;
  lake::MemoryBudget budget_{kBudget};
  std::optional<lake::WindowEngine> engine_;
  std::vector<lake::FetchCall> calls_;
  std::optional<std::int64_t> page_from_;
  std::int64_t records_ = 0;
  std::int64_t peak_ = 0;
  std::int64_t heap_before_ = 0;
};

// Below the sanitizers the heap is not glibc's, and what it holds reads as nothing.
TEST(ManyLanes, MemoryIsIndependentOfTheirNumberBeyondTheBytesOfEach) {
  for (const std::int64_t lanes : {5'000, 100'000}) {
    OneRecordEach log(lanes);
    log.ReadAll();
    EXPECT_EQ(log.records(), lanes);
    EXPECT_LE(log.peak(), kBudget) << lanes;
    EXPECT_LE(log.HeapOfALane(), kLaneBytesMax) << lanes;
    RecordProperty(fmt::format("bytes a lane of {}", lanes), static_cast<int>(log.HeapOfALane()));
  }
}

class FetchCeilings : public ::testing::Test {
 protected:
  // The calls of one poll with `lanes` lanes of one record unread.
  static std::vector<lake::FetchCall> CallsFor(std::int64_t lanes, lake::FetchLimits limits) {
    lake::MemoryBudget budget(std::int64_t{1} << 30);
    lake::EngineStart start;
    start.t_prev = At("10:00:00");
    lake::WindowEngine engine(
        {.queue = "orders", .rules = NoGuard(), .fetch = limits}, start, budget);
    engine.Poll();
    queen::DiscoveryEntryAnswer page{.queue = "orders"};
    for (std::int64_t n = 0; n < lanes; ++n) {
      page.partitions.push_back(
          {.name = std::to_string(n), .last_offset = Offset(0), .last_write_at = At("10:30:00")});
    }
    engine.OnDiscovery(page, At("11:00:00"));
    auto calls = engine.Poll().fetches;
    EXPECT_THAT(engine.Poll().fetches, SizeIs(0)) << "while these are under way";
    return calls;
  }
};

TEST_F(FetchCeilings, ACallHasNoMoreEntriesThanTheBrokerTakes) {
  lake::FetchLimits limits;
  limits.call_bytes = std::int64_t{1} << 30;
  std::set<std::string> asked;
  std::vector<std::size_t> entries;
  for (const auto& call : CallsFor(2'100, limits)) {
    entries.push_back(call.request.entries.size());
    for (const auto& entry : call.request.entries) asked.insert(entry.partition);
  }
  EXPECT_THAT(entries, ::testing::ElementsAre(1024, 1024, 52));
  EXPECT_THAT(asked, SizeIs(2'100)) << "each lane in one call";
}

TEST_F(FetchCeilings, NoMoreCallsThanAllowedAreUnderWay) {
  lake::FetchLimits limits;
  limits.call_bytes = 64 << 10;
  for (const int concurrency : {1, 4, 7}) {
    limits.concurrency = concurrency;
    EXPECT_THAT(CallsFor(5'000, limits), SizeIs(concurrency));
  }
}

TEST_F(FetchCeilings, ACallIsExpectedToBringNoMoreThanItsBytes) {
  lake::FetchLimits limits;
  limits.call_bytes = 64 << 10;
  for (const auto& call : CallsFor(5'000, limits)) {
    EXPECT_LE(call.request.entries.size(), 64u << 10 >> 9);  // at first a record counts 512 bytes
    EXPECT_LE(call.request.max_answer_bytes, 4u * (64 << 10) + (256 << 10));
  }
}

}  // namespace
}  // namespace tidemark::testing

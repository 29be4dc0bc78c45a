// Properties over random logs, arrivals and memory: nothing lost, nothing twice, windows tile, and
// the windows of a finished, aligned log do not depend on the order of answers.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/engine/engine_rig.h"
#include "tests/support/noise.h"

namespace tidemark::testing {
namespace {

struct Pushed {
  std::string partition;
  Micros ts;
  std::size_t records;
};

lake::EngineStart FromTen() {
  lake::EngineStart start;
  start.t_prev = At("10:00:00");
  return start;
}

std::vector<Pushed> RandomLog(std::mt19937_64& random, int pushes) {
  std::vector<Pushed> log;
  Micros ts = At("10:00:00");
  for (int i = 0; i < pushes; ++i) {
    ts = ts + static_cast<std::int64_t>(random() % 4) * 10 * kMicrosPerSecond;
    log.push_back({"lane-" + std::to_string(random() % 7), ts, 1 + random() % 5});
  }
  return log;
}

void Push(EngineRig& rig, const Pushed& pushed, std::vector<Row>& expected) {
  std::vector<std::string> payloads(pushed.records, "\"payload\"");
  Offset offset = rig.log().Append("orders", pushed.partition, pushed.ts, payloads);
  for (std::size_t i = 0; i < pushed.records; ++i, ++offset) {
    expected.emplace_back(pushed.partition, offset.value(), pushed.ts.value());
  }
}

void ExpectWholeAndTiled(const EngineRig& rig, std::vector<Row> expected) {
  auto rows = rig.rows();
  std::ranges::sort(rows);
  std::ranges::sort(expected);
  EXPECT_EQ(rows, expected);
  Micros end = At("10:00:00");
  std::int64_t k = 0;
  for (const auto& window : rig.windows()) {
    EXPECT_EQ(window.window.k.value(), ++k);
    EXPECT_GE(window.window.start, end);
    EXPECT_TRUE(window.window.start == end ||
                window.window.start == FloorTo(window.window.start, kMicrosPerHour));
    EXPECT_FALSE(window.rows.empty());
    end = window.window.end;
    for (const auto& [partition, offset, ts] : window.rows) {
      EXPECT_GE(ts, window.window.start.value());
      EXPECT_LT(ts, window.window.end.value());
    }
  }
}

class RandomArrival : public ::testing::TestWithParam<std::uint64_t> {};

// Records arrive while windows close, answers come in any order.
TEST_P(RandomArrival, LosesNothingAndTiles) {
  std::mt19937_64 random(GetParam());
  lake::ClosingRules rules{.target_bytes = 1500,
                           .window_us_max = 60 * kMicrosPerSecond,
                           .guard_us = 5 * kMicrosPerSecond,
                           .align = format::Align::kHour};
  lake::FetchLimits fetch;
  fetch.concurrency = 3;
  fetch.entry_bytes_max = 200;
  fetch.call_bytes = 400;
  EngineRig rig(FromTen(), rules, fetch);
  std::vector<Row> expected;
  for (const auto& pushed : RandomLog(random, 200)) {
    Push(rig, pushed, expected);
    rig.log().PinSafeTime(pushed.ts);
    if (random() % 3 == 0) rig.engine().OnInterval();
    rig.Poll();
    for (auto n = random() % 3; n > 0 && rig.pending() > 0; --n) {
      rig.Answer(random() % rig.pending());
      rig.Poll();
    }
  }
  rig.log().PinSafeTime(At("23:00:00"));
  rig.Settle([&](std::size_t pending) { return random() % pending; });
  ExpectWholeAndTiled(rig, expected);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomArrival, ::testing::Range<std::uint64_t>(1, 60));

std::vector<RigWindow> WindowsOf(std::uint64_t log_seed,
                                 std::uint64_t order_seed,
                                 const lake::FetchLimits& fetch,
                                 std::vector<Row>& expected) {
  std::mt19937_64 random(log_seed);
  std::mt19937_64 order(order_seed);
  lake::ClosingRules rules{.target_bytes = 1500,
                           .window_us_max = 60 * kMicrosPerSecond,
                           .guard_us = 0,
                           .align = format::Align::kHour};
  EngineRig rig(FromTen(), rules, fetch);
  for (const auto& pushed : RandomLog(random, 300)) Push(rig, pushed, expected);
  rig.log().PinSafeTime(At("23:00:00"));
  rig.Settle([&](std::size_t pending) { return order() % pending; });
  ExpectWholeAndTiled(rig, expected);
  return rig.windows();
}

class FinishedLog : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(FinishedLog, GivesTheSameWindowsInWhateverOrderItIsRead) {
  std::vector<Row> a;
  std::vector<Row> b;
  lake::FetchLimits small;
  small.entry_bytes_max = 100;
  small.call_bytes = 300;
  small.concurrency = 7;
  EXPECT_EQ(WindowsOf(GetParam(), 1, {}, a), WindowsOf(GetParam(), 2, small, b));
}

INSTANTIATE_TEST_SUITE_P(Seeds, FinishedLog, ::testing::Range<std::uint64_t>(1, 25));

class TightMemory : public ::testing::TestWithParam<std::uint64_t> {};

// The budget is far below a window: windows close early, the log is the spill, single heavy
// timestamps are read from the log; still nothing is lost, nothing is twice.
TEST_P(TightMemory, StillLosesNothing) {
  std::mt19937_64 random(GetParam());
  lake::ClosingRules rules{.target_bytes = std::int64_t{64} << 20,
                           .window_us_max = 3600 * kMicrosPerSecond,
                           .guard_us = 0,
                           .align = format::Align::kHour};
  lake::FetchLimits fetch;
  fetch.concurrency = 2;
  fetch.call_bytes = 64 << 10;
  EngineRig rig(FromTen(), rules, fetch, /*budget_bytes=*/std::int64_t{3} << 20);
  std::vector<Row> expected;
  if (GetParam() % 2 == 1) rig.PackAnswers();
  Micros ts = At("10:00:00");
  for (int i = 0; i < 150; ++i) {
    ts = ts + static_cast<std::int64_t>(random() % 2) * 10 * kMicrosPerSecond;
    const std::string lane = "lane-" + std::to_string(random() % 20);
    std::vector<std::string> payloads(1 + random() % 5);
    for (auto& payload : payloads) payload = NoisyPayload(20'000, random);
    Offset offset = rig.log().Append("orders", lane, ts, payloads);
    for (std::size_t n = 0; n < payloads.size(); ++n, ++offset) {
      expected.emplace_back(lane, offset.value(), ts.value());
    }
  }
  rig.log().PinSafeTime(At("23:00:00"));
  rig.Settle([&](std::size_t pending) { return random() % pending; });
  ExpectWholeAndTiled(rig, expected);
  EXPECT_LE(rig.peak_bytes(), (std::int64_t{3} << 20) + (std::int64_t{1} << 20));
}

INSTANTIATE_TEST_SUITE_P(Seeds, TightMemory, ::testing::Range<std::uint64_t>(1, 12));

TEST(TightMemoryOneTimestamp, AWindowHeavierThanTheBudgetIsReadFromTheLog) {
  lake::ClosingRules rules;
  rules.guard_us = 0;
  EngineRig rig(FromTen(), rules, {}, std::int64_t{20} << 20);
  const std::vector<std::string> payloads(200, '"' + std::string(10'000, 'x') + '"');
  std::vector<Row> expected;
  for (int lane = 0; lane < 30; ++lane) {
    const std::string name = "lane-" + std::to_string(lane);
    Offset offset = rig.log().Append("orders", name, At("10:30:00"), payloads);
    for (std::size_t n = 0; n < payloads.size(); ++n, ++offset) {
      expected.emplace_back(name, offset.value(), At("10:30:00").value());
    }
  }
  rig.log().PinSafeTime(At("12:00:00"));
  rig.Settle();
  ExpectWholeAndTiled(rig, expected);
  ASSERT_EQ(rig.windows().size(), 1u);
  EXPECT_TRUE(rig.windows()[0].from_log);
}

// What was given back is read again when that can help: not before the lane that holds every close
// back has moved.
TEST(TightMemoryHeldOpen, TheOtherLanesAreNotReadOverAndOver) {
  lake::ClosingRules rules;
  rules.guard_us = 0;
  lake::FetchLimits fetch;
  fetch.call_bytes = 64 << 10;
  constexpr std::int64_t kBudget = std::int64_t{2} << 20;
  EngineRig rig(FromTen(), rules, fetch, kBudget);
  std::vector<Row> expected{{"held", 0, At("10:00:00").value()}};
  rig.log().Append("orders", "held", At("10:00:00"), {"1"});
  const std::string payload = '"' + std::string(1'000, 'x') + '"';
  for (std::int64_t n = 0; n < 8'000; ++n) {
    const std::string lane = "lane-" + std::to_string(n % 10);
    const Micros ts = At("10:00:01") + n * 1'000;
    expected.emplace_back(
        lane, rig.log().Append("orders", lane, ts, {payload}).value(), ts.value());
  }
  rig.log().PinSafeTime(At("12:00:00"));
  rig.Refuse("held");
  rig.engine().OnInterval();
  rig.Poll();
  for (int answers = 0; answers < 2'000 && rig.pending() > 0; ++answers) {
    rig.Answer(0);
    rig.Poll();
  }
  EXPECT_TRUE(rig.windows().empty());
  EXPECT_LT(rig.records_answered(), 2 * static_cast<std::size_t>(kBudget) / payload.size());
  EXPECT_LE(rig.peak_bytes(), kBudget + (std::int64_t{1} << 20));

  rig.Refuse(std::nullopt);
  rig.Settle();
  ExpectWholeAndTiled(rig, expected);
}

}  // namespace
}  // namespace tidemark::testing

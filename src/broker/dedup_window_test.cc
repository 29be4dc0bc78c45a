#include "broker/dedup_window.h"

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <random>

namespace tidemark::broker {
namespace {

Hash128 Id(std::uint64_t n) { return {.low = n, .high = n * 7}; }

TEST(DedupWindow, RemembersWhenAnIdWasSeen) {
  DedupWindow window(4);
  window.Add(Id(1), Micros(10));
  EXPECT_EQ(window.LastSeen(Id(1)), Micros(10));
  EXPECT_EQ(window.LastSeen(Id(2)), kMinusInfinity);
}

TEST(DedupWindow, ForgetsTheOldestWhenFull) {
  DedupWindow window(2);
  window.Add(Id(1), Micros(10));
  window.Add(Id(2), Micros(11));
  window.Add(Id(3), Micros(12));
  EXPECT_EQ(window.LastSeen(Id(1)), kMinusInfinity);
  EXPECT_EQ(window.LastSeen(Id(2)), Micros(11));
  EXPECT_EQ(window.size(), 2u);
}

TEST(DedupWindow, KeepsTheYoungerOfTwoEntriesOfOneId) {
  DedupWindow window(2);
  window.Add(Id(1), Micros(10));
  window.Add(Id(1), Micros(20));
  window.Add(Id(2), Micros(30));  // pushes the older entry out
  EXPECT_EQ(window.LastSeen(Id(1)), Micros(20));
}

// Against a model that is too slow to be wrong; few homes, so that probe sequences run into each
// other.
TEST(DedupWindow, AgreesWithAModelOverRandomAdditions) {
  constexpr std::size_t kCapacity = 50;
  std::mt19937 random(7);
  DedupWindow window(kCapacity);
  std::deque<std::pair<std::uint64_t, Micros>> model;
  for (int step = 0; step < 20'000; ++step) {
    const std::uint64_t n = random() % 120;
    const Hash128 id{.low = n, .high = n % 9};
    window.Add(id, Micros(step));
    model.emplace_back(n, Micros(step));
    if (model.size() > kCapacity) model.pop_front();
    const std::uint64_t probe = random() % 120;
    Micros expected = kMinusInfinity;
    for (const auto& [held, stamp] : model) {
      if (held == probe) expected = stamp;
    }
    ASSERT_EQ(window.LastSeen({.low = probe, .high = probe % 9}), expected) << step;
  }
}

}  // namespace
}  // namespace tidemark::broker

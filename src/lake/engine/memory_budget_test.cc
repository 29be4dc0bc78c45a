#include "lake/engine/memory_budget.h"

#include <gtest/gtest.h>

#include <utility>

namespace tidemark::lake {

namespace {

TEST(MemoryBudget, AnswersLeaveRoomForBuffers) {
  MemoryBudget budget(100);
  EXPECT_FALSE(budget.TryReserve(61, 40).has_value());
  const auto answer = budget.TryReserve(60, 40);
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(budget.Room(40), 0);
  EXPECT_TRUE(budget.TryReserveBuffers(40).has_value());
}

TEST(MemoryBudget, HeldBuffersCountTowardsWhatIsKeptFree) {
  MemoryBudget budget(100);
  const auto buffers = budget.TryReserveBuffers(30);
  EXPECT_EQ(budget.Room(40), 60);
  EXPECT_TRUE(budget.TryReserve(60, 40).has_value());
}

TEST(MemoryBudget, OneCommitAlwaysGoesOnAndASecondWaits) {
  MemoryBudget budget(100);
  const auto answers = budget.ReserveAnyway(95);
  const auto first = budget.TryReserveBuffers(40);
  ASSERT_TRUE(first.has_value());
  EXPECT_FALSE(budget.TryReserveBuffers(1).has_value());
}

TEST(MemoryBudget, TellsAnswersFromBuffers) {
  MemoryBudget budget(100);
  const auto answers = budget.ReserveAnyway(20);
  const auto buffers = budget.TryReserveBuffers(30);
  EXPECT_EQ(budget.used(), 50);
  EXPECT_EQ(budget.answers(), 20);
}

TEST(MemoryBudget, AShareGivesItselfBackOnce) {
  MemoryBudget budget(100);
  {
    auto share = budget.TryReserveBuffers(40);
    Reservation moved = std::move(*share);
    moved.Resize(50);
    EXPECT_EQ(budget.used(), 50);
  }
  EXPECT_EQ(budget.used(), 0);
  EXPECT_EQ(budget.Room(40), 60);
}

}  // namespace

}  // namespace tidemark::lake

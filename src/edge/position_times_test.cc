#include "edge/position_times.h"

#include <gtest/gtest.h>

namespace tidemark::edge {
namespace {

TEST(PositionTimes, TellsWhenTheFirstUncommittedPositionWasThere) {
  PositionTimes times;
  times.Note(Position(10), Micros(1));
  times.Note(Position(10), Micros(2));
  times.Note(Position(20), Micros(3));
  EXPECT_EQ(times.FirstAfter(Position(0)), Micros(1));
  EXPECT_EQ(times.FirstAfter(Position(9)), Micros(1));
  EXPECT_EQ(times.FirstAfter(Position(10)), Micros(3));
  EXPECT_EQ(times.FirstAfter(Position(20)), std::nullopt);
}

TEST(PositionTimes, ForgetsWhatIsCommitted) {
  PositionTimes times;
  times.Note(Position(10), Micros(1));
  times.Note(Position(20), Micros(2));
  times.Forget(Position(15));
  EXPECT_EQ(times.FirstAfter(Position(15)), Micros(2));
  times.Forget(Position(20));
  times.Note(Position(30), Micros(3));
  EXPECT_EQ(times.FirstAfter(Position(20)), Micros(3));
}

TEST(PositionTimes, ALongBacklogKeepsItsBeginningAndItsEnd) {
  PositionTimes times;
  for (std::int64_t i = 1; i <= 100'000; ++i) times.Note(Position(i), Micros(i));
  EXPECT_EQ(times.FirstAfter(Position(0)), Micros(1));
  EXPECT_EQ(times.FirstAfter(Position(99'999)), Micros(100'000));
  EXPECT_LT(*times.FirstAfter(Position(50'000)), Micros(60'000));
}

}  // namespace
}  // namespace tidemark::edge

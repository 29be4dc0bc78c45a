#include "lake/engine/lost_ranges.h"

#include <gtest/gtest.h>

namespace tidemark::lake {
namespace {

format::LostRange Range(std::string partition, std::int64_t from, std::int64_t to) {
  return {.partition = std::move(partition), .from = Offset(from), .to = Offset(to)};
}

TEST(LostRanges, AreSortedAndJoinedWhereTheyTouch) {
  EXPECT_EQ(Normalized({Range("b", 0, 1), Range("a", 5, 9), Range("a", 3, 4), Range("a", 7, 12)}),
            (LostRanges{Range("a", 3, 12), Range("b", 0, 1)}));
}

TEST(LostRanges, StayApartWhereAnOffsetLiesBetween) {
  EXPECT_EQ(Normalized({Range("a", 3, 4), Range("a", 6, 6)}).size(), 2u);
}

TEST(LostRanges, DropRangesWithoutOffsets) { EXPECT_TRUE(Normalized({Range("a", 4, 3)}).empty()); }

TEST(LostRanges, WithoutATakenMiddleAreTwo) {
  EXPECT_EQ(Without({Range("a", 0, 9)}, {Range("a", 3, 5), Range("b", 0, 9)}),
            (LostRanges{Range("a", 0, 2), Range("a", 6, 9)}));
}

TEST(LostRanges, WithoutTakenEndsKeepTheRest) {
  EXPECT_EQ(Without({Range("a", 0, 9)}, {Range("a", -5, 1), Range("a", 8, 20)}),
            (LostRanges{Range("a", 2, 7)}));
}

TEST(LostRanges, WithoutAllOfThemAreEmpty) {
  EXPECT_TRUE(Without({Range("a", 2, 4), Range("a", 6, 7)}, {Range("a", 0, 10)}).empty());
}

TEST(LostRanges, UnionCountsAnOffsetOnce) {
  EXPECT_EQ(Union({Range("a", 0, 5)}, {Range("a", 4, 9)}), (LostRanges{Range("a", 0, 9)}));
}

TEST(LostRanges, WhatContinuesTheLastRangeLengthensIt) {
  LostRanges ranges;
  AppendLost(ranges, "a", Offset(3), Offset(4));
  AppendLost(ranges, "a", Offset(5), Offset(5));
  AppendLost(ranges, "b", Offset(6), Offset(6));
  AppendLost(ranges, "b", Offset(8), Offset(9));
  EXPECT_EQ(ranges, (LostRanges{Range("a", 3, 5), Range("b", 6, 6), Range("b", 8, 9)}));
  EXPECT_EQ(OffsetsIn(ranges), 6);
}

}  // namespace
}  // namespace tidemark::lake

#include "edge/wal/held_groups.h"

#include <gtest/gtest.h>

namespace tidemark::edge {
namespace {

HeldGroup Group(int segment, std::int64_t begin, int last, const std::string& text) {
  const auto size = static_cast<std::int64_t>(text.size());
  return {.place = {.segment = Position(segment), .begin = begin, .end = begin + size},
          .last = Position(last),
          .bytes = std::make_shared<const std::string>(text + "padding")};
}

constexpr std::int64_t kRoomy = 1000;

TEST(HeldGroups, FindsTheGroupOfAByteAndWhatFollowsIt) {
  HeldGroups held(kRoomy);
  held.Add(Group(1, 100, 5, "first"));
  held.Add(Group(1, 105, 6, "second"));
  held.Add(Group(7, 50, 7, "third"));
  EXPECT_EQ(held.Find(Position(1), 104)->From(104), "t");
  EXPECT_EQ(held.Find(Position(1), 105)->From(105), "second");
  EXPECT_EQ(held.Find(Position(7), 52)->From(52), "ird");
  EXPECT_EQ(held.Find(Position(1), 99), nullptr);
  EXPECT_EQ(held.Find(Position(1), 111), nullptr);
  EXPECT_EQ(held.Find(Position(7), 0), nullptr);
  EXPECT_EQ(held.Find(Position(8), 50), nullptr);
}

TEST(HeldGroups, TheOldestGivesWay) {
  HeldGroups held(30);  // two of twelve bytes
  held.Add(Group(1, 100, 1, "first"));
  held.Add(Group(1, 105, 2, "other"));
  held.Add(Group(1, 110, 3, "third"));
  EXPECT_EQ(held.Find(Position(1), 100), nullptr);
  EXPECT_NE(held.Find(Position(1), 105), nullptr);
  held.Add(Group(1, 115, 4, std::string(100, 'x')));
  EXPECT_EQ(held.Find(Position(1), 110), nullptr);
  EXPECT_EQ(held.Find(Position(1), 115), nullptr);
}

TEST(HeldGroups, LetsGoOfWhatWasReadAndTellsWhereThatStood) {
  HeldGroups held(kRoomy);
  held.Add(Group(1, 100, 5, "first"));
  held.Add(Group(1, 105, 6, "second"));
  held.Add(Group(1, 111, 9, "third"));
  held.Release(Position(4));
  EXPECT_EQ(held.TakeReleased(), SegmentSpan());
  held.Release(Position(5));
  held.Release(Position(8));
  const SegmentSpan both{.segment = Position(1), .begin = 100, .end = 111};
  EXPECT_EQ(held.TakeReleased(), both);
  EXPECT_EQ(held.TakeReleased(), SegmentSpan());
  EXPECT_EQ(held.Find(Position(1), 105), nullptr);
  EXPECT_NE(held.Find(Position(1), 111), nullptr);
}

TEST(HeldGroups, TellsOfTheLastSegmentOnly) {
  HeldGroups held(kRoomy);
  held.Add(Group(1, 100, 5, "first"));
  held.Add(Group(6, 50, 6, "second"));
  const SegmentSpan last{.segment = Position(6), .begin = 50, .end = 56};
  held.Release(Position(6));
  EXPECT_EQ(held.TakeReleased(), last);
}

}  // namespace
}  // namespace tidemark::edge

#include "lake/engine/lane_table.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

namespace tidemark::lake {
namespace {

using ::testing::ElementsAre;
using ::testing::Eq;
using ::testing::Optional;

std::vector<std::string> NamesIn(const LaneTable& table) {
  std::vector<std::string> names;
  table.ForEach([&](LaneId, const Lane& lane) { names.emplace_back(lane.name); });
  return names;
}

TEST(LaneTable, FindsALaneByItsNameAndKeepsACopyOfIt) {
  LaneTable table;
  EXPECT_THAT(table.Find("a"), Eq(std::nullopt));
  std::string name = "a";
  const LaneId id = table.Add(name);
  name = "b";
  EXPECT_THAT(table.Find("a"), Optional(id));
  EXPECT_EQ(table[id].name, "a");
  EXPECT_THAT(table.Find("b"), Eq(std::nullopt));
}

TEST(LaneTable, TakesTheEmptyNameAndOneLongerThanABlock) {
  LaneTable table;
  const std::string long_name(100'000, 'x');
  const LaneId empty = table.Add("");
  const LaneId longest = table.Add(long_name);
  EXPECT_THAT(table.Find(""), Optional(empty));
  EXPECT_THAT(table.Find(long_name), Optional(longest));
  EXPECT_THAT(NamesIn(table), ElementsAre("", long_name));
}

TEST(LaneTable, UsesTheIdOfAForgottenLaneAgainWithNothingOfIt) {
  LaneTable table;
  const LaneId id = table.Add("a");
  table[id].next = Offset(7);
  table.Forget(id);
  EXPECT_EQ(table.size(), 0u);
  EXPECT_THAT(table.Find("a"), Eq(std::nullopt));
  EXPECT_EQ(table.Add("b"), id);
  EXPECT_EQ(table[id].next, Offset(0));
  EXPECT_THAT(NamesIn(table), ElementsAre("b"));
}

TEST(LaneTable, ALaneTwiceIsABug) {
  LaneTable table;
  table.Add("a");
  EXPECT_DEATH(table.Add("a"), "lane a added twice");
}

TEST(LaneTable, AgreesWithAMapOverManyLanesThatComeAndGo) {
  LaneTable table;
  std::map<std::string, LaneId> model;
  std::mt19937 numbers(7);
  for (int step = 0; step < 20'000; ++step) {
    const std::string name = fmt::format("lane-{}", numbers() % 700);
    const auto known = model.find(name);
    ASSERT_EQ(table.Find(name).has_value(), known != model.end()) << name;
    if (known == model.end()) {
      model[name] = table.Add(name);
    } else {
      ASSERT_EQ(*table.Find(name), known->second);
      table.Forget(known->second);
      model.erase(known);
    }
    ASSERT_EQ(table.size(), model.size());
  }
  for (const auto& [name, id] : model) EXPECT_EQ(table[id].name, name);
  EXPECT_EQ(NamesIn(table).size(), model.size());
}

}  // namespace
}  // namespace tidemark::lake

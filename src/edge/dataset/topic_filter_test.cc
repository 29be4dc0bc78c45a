#include "edge/dataset/topic_filter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tidemark::edge {
namespace {

using ::testing::HasSubstr;

TEST(TopicFilter, WithoutAWildcardTakesItsTopicAlone) {
  EXPECT_TRUE(TopicMatches("a/b", "a/b"));
  for (const char* topic : {"a", "a/b/c", "a/B", "a/", "a/b/", "/a/b", ""}) {
    EXPECT_FALSE(TopicMatches("a/b", topic)) << topic;
  }
}

TEST(TopicFilter, PlusStandsForOneLevelAlsoAnEmptyOne) {
  for (const char* topic : {"a/b/c", "a//c"}) EXPECT_TRUE(TopicMatches("a/+/c", topic)) << topic;
  for (const char* topic : {"a/c", "a/b/b/c", "a/b"}) {
    EXPECT_FALSE(TopicMatches("a/+/c", topic)) << topic;
  }
  EXPECT_TRUE(TopicMatches("+", "a"));
  EXPECT_FALSE(TopicMatches("+", "/a"));
  EXPECT_TRUE(TopicMatches("+/+", "/a"));
}

TEST(TopicFilter, HashStandsForAllFurtherLevelsAndForNone) {
  for (const char* topic : {"a", "a/", "a/b", "a/b/c"}) {
    EXPECT_TRUE(TopicMatches("a/#", topic)) << topic;
  }
  for (const char* topic : {"ab", "b/a", "/a"}) EXPECT_FALSE(TopicMatches("a/#", topic)) << topic;
  EXPECT_TRUE(TopicMatches("+/#", "a"));
  EXPECT_TRUE(TopicMatches("a/+/#", "a/b"));
  EXPECT_FALSE(TopicMatches("a/+/#", "a"));
  for (const char* topic : {"a", "/", "a/b"}) EXPECT_TRUE(TopicMatches("#", topic)) << topic;
}

TEST(TopicFilter, AWildcardAtTheBeginningTakesNoTopicOfADollar) {
  for (const char* filter : {"#", "+", "+/b", "+/#"}) {
    EXPECT_FALSE(TopicMatches(filter, "$SYS/b")) << filter;
    EXPECT_FALSE(TopicMatches(filter, "$SYS")) << filter;
  }
  for (const char* filter : {"$SYS/b", "$SYS/+", "$SYS/#"}) {
    EXPECT_TRUE(TopicMatches(filter, "$SYS/b")) << filter;
  }
  EXPECT_TRUE(TopicMatches("a/+", "a/$b"));
  EXPECT_TRUE(TopicMatches("a/#", "a/$b"));
}

TEST(TopicFilter, MayHaveWildcardsInPlacesOfTheirOwn) {
  for (const char* filter : {"a", "/", "a//b", "+", "#", "a/+/b", "a/#", "+/+/#", "$SYS/#"}) {
    EXPECT_TRUE(CheckTopicFilter(filter)) << filter;
  }
}

struct BadFilter {
  std::string_view filter;
  const char* why;
};

class RefusedFilter : public ::testing::TestWithParam<BadFilter> {};

TEST_P(RefusedFilter, IsToldWhichRuleItBreaks) {
  const Status checked = CheckTopicFilter(GetParam().filter);
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(checked.error().message, HasSubstr(GetParam().why));
}

INSTANTIATE_TEST_SUITE_P(
    Rules,
    RefusedFilter,
    ::testing::Values(BadFilter{"", "leave `topic` out to take every topic"},
                      BadFilter{std::string_view("a\0b", 3), "it holds a NUL"},
                      BadFilter{"a+/b", "a wildcard fills its level alone, not \"a+\""},
                      BadFilter{"a/#b", "a wildcard fills its level alone, not \"#b\""},
                      BadFilter{"++", "a wildcard fills its level alone, not \"++\""},
                      BadFilter{"#/a", "# stands at the end only"},
                      BadFilter{"a/#/", "# stands at the end only"}));

TEST(TopicLevel, CountsFromZeroAndEndsWithTheTopic) {
  const auto level = [](std::string_view topic, int n) {
    std::string_view text;
    return TopicLevel(topic, n, text) ? std::string(text) : "none";
  };
  EXPECT_EQ(level("a/b", 0), "a");
  EXPECT_EQ(level("a/b", 1), "b");
  EXPECT_EQ(level("a/b", 2), "none");
  EXPECT_EQ(level("/b", 0), "");
  EXPECT_EQ(level("a/", 1), "");
}

}  // namespace
}  // namespace tidemark::edge

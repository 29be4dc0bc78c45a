#include "edge/dataset/json_pointer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tidemark::edge {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(JsonPointer, IsAListOfKeys) {
  EXPECT_THAT(*ParsePointer(""), IsEmpty());
  EXPECT_THAT(*ParsePointer("/"), ElementsAre(""));
  EXPECT_THAT(*ParsePointer("/a/b"), ElementsAre("a", "b"));
  EXPECT_THAT(*ParsePointer("/a//0/"), ElementsAre("a", "", "0", ""));
}

TEST(JsonPointer, ReadsTheTwoEscapesOnce) {
  EXPECT_THAT(*ParsePointer("/a~1b/c~0d"), ElementsAre("a/b", "c~d"));
  EXPECT_THAT(*ParsePointer("/~01"), ElementsAre("~1"));
}

TEST(JsonPointer, RefusesWhatTheStandardDoes) {
  for (const char* pointer : {"a", "a/b", " /a", "^/a"}) {
    const auto keys = ParsePointer(pointer);
    ASSERT_FALSE(keys) << pointer;
    EXPECT_THAT(keys.error().message, HasSubstr("it begins with neither / nor is empty"));
  }
  for (const char* pointer : {"/~", "/a~2", "/a~/b"}) {
    const auto keys = ParsePointer(pointer);
    ASSERT_FALSE(keys) << pointer;
    EXPECT_THAT(keys.error().message, HasSubstr("after ~ comes 0 (for ~) or 1 (for /)"));
  }
}

TEST(JsonPointer, WritesKeysAsItReadsThem) {
  const std::vector<std::string> keys = {"a/b", "c~d", "", "~1", "é"};
  std::string pointer;
  for (const std::string& key : keys) AppendPointerKey(key, pointer);
  EXPECT_EQ(pointer, "/a~1b/c~0d//~01/é");
  EXPECT_EQ(*ParsePointer(pointer), keys);
}

}  // namespace
}  // namespace tidemark::edge

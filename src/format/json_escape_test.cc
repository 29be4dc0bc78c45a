#include "format/json_escape.h"

#include <gtest/gtest.h>

namespace tidemark::format {
namespace {

TEST(JsonEscape, OneLetterStandsForOneCharacter) {
  std::string found;
  for (const char letter : std::string_view("\"\\/bfnrt")) found += UnescapedOf(letter);
  EXPECT_EQ(found, "\"\\/\b\f\n\r\t");
}

TEST(JsonEscape, AnyOtherLetterStandsForNothing) {
  for (const char letter : std::string_view("u'0aBx "))
    EXPECT_EQ(UnescapedOf(letter), '\0') << letter;
}

TEST(JsonEscape, EveryLengthOfUtf8AtItsBounds) {
  const auto utf8 = [](std::uint32_t code_point) {
    std::string out;
    AppendUtf8(code_point, out);
    return out;
  };
  EXPECT_EQ(utf8(0x00), std::string(1, '\0'));
  EXPECT_EQ(utf8(0x7F), "\x7F");
  EXPECT_EQ(utf8(0x80), "\xC2\x80");
  EXPECT_EQ(utf8(0x7FF), "\xDF\xBF");
  EXPECT_EQ(utf8(0x800), "\xE0\xA0\x80");
  EXPECT_EQ(utf8(0xFFFF), "\xEF\xBF\xBF");
  EXPECT_EQ(utf8(0x10000), "\xF0\x90\x80\x80");
  EXPECT_EQ(utf8(0x10FFFF), "\xF4\x8F\xBF\xBF");
}

}  // namespace
}  // namespace tidemark::format

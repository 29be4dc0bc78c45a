#include "datafile/text_bounds.h"

#include <gtest/gtest.h>

#include <vector>

namespace tidemark::datafile {
namespace {

std::string Repeat(std::string_view unit, std::size_t times) {
  std::string text;
  for (std::size_t i = 0; i < times; ++i) text += unit;
  return text;
}

TEST(LowerBound, KeepsATextOfTheLimit) {
  const std::string text(64, 'a');
  EXPECT_EQ(LowerBound(text).text, text);
  EXPECT_TRUE(LowerBound(text).exact);
}

TEST(LowerBound, CutsBetweenCharacters) {
  const Bound bound = LowerBound("a" + Repeat("\xc3\xa9", 40));
  EXPECT_EQ(bound.text, "a" + Repeat("\xc3\xa9", 31));
  EXPECT_FALSE(bound.exact);
}

TEST(UpperBound, KeepsATextOfTheLimit) {
  const std::string text(64, '\x7f');
  EXPECT_EQ(UpperBound(text)->text, text);
  EXPECT_TRUE(UpperBound(text)->exact);
}

TEST(UpperBound, RaisesTheLastCharacter) {
  const auto bound = UpperBound(std::string(80, 'a'));
  EXPECT_EQ(bound->text, std::string(63, 'a') + 'b');
  EXPECT_FALSE(bound->exact);
}

TEST(UpperBound, CarriesWithinACharacter) {
  // U+00BF is C2 BF; the next code point of two bytes is U+00C0, C3 80.
  EXPECT_EQ(UpperBound(Repeat("\xc2\xbf", 40))->text, Repeat("\xc2\xbf", 31) + "\xc3\x80");
}

TEST(UpperBound, StepsOverTheSurrogates) {
  EXPECT_EQ(UpperBound("a" + Repeat("\xed\x9f\xbf", 30))->text,
            "a" + Repeat("\xed\x9f\xbf", 20) + "\xee\x80\x80");
}

TEST(UpperBound, RaisesFourBytes) {
  EXPECT_EQ(UpperBound(Repeat("\xf0\x9f\xbf\xbf", 20))->text,
            Repeat("\xf0\x9f\xbf\xbf", 15) + "\xf0\xa0\x80\x80");
}

TEST(UpperBound, DropsCharactersWithoutASuccessorOfTheirLength) {
  EXPECT_EQ(UpperBound(std::string(60, 'a') + std::string(10, '\x7f'))->text,
            std::string(59, 'a') + 'b');
}

TEST(UpperBound, IsAbsentWhenNothingIsAbove) {
  EXPECT_FALSE(UpperBound(Repeat("\xf4\x8f\xbf\xbf", 20)).has_value());
}

TEST(UpperBound, NeverGoesBelowDamagedText) {
  for (int byte = 0; byte < 256; ++byte) {
    const std::string text(80, static_cast<char>(byte));
    const auto bound = UpperBound(text);
    EXPECT_TRUE(!bound.has_value() || bound->text > text) << byte;
    EXPECT_LE(LowerBound(text).text, text) << byte;
  }
}

TEST(TextBounds, FollowsBytesRatherThanSignedCharacters) {
  TextBounds bounds;
  for (const char* text : {"b", "\xc3\xa9", "a"}) bounds.Add(text);
  EXPECT_EQ(bounds.lower().text, "a");
  EXPECT_EQ(bounds.upper()->text, "\xc3\xa9");
}

TEST(TextBounds, CutsOnlyWhatIsTooLong) {
  TextBounds bounds;
  bounds.Add(std::string(65, 'a'));
  bounds.Add(std::string(64, 'b'));
  EXPECT_FALSE(bounds.lower().exact);
  EXPECT_TRUE(bounds.upper()->exact);
}

TEST(TextBounds, KnowsAnEmptyTextFromNoText) {
  TextBounds bounds;
  EXPECT_FALSE(bounds.any());
  bounds.Add("");
  EXPECT_TRUE(bounds.any());
  EXPECT_EQ(bounds.upper()->text, "");
}

}  // namespace
}  // namespace tidemark::datafile

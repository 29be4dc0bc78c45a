#include "broker/json_cursor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tidemark::broker {
namespace {

using ::testing::HasSubstr;

bool Accepts(std::string_view text) {
  JsonCursor json(text);
  return json.Skip().has_value() && json.End().has_value();
}

std::string StringOf(std::string_view text) {
  JsonCursor json(text);
  const auto value = json.String();
  return value ? std::string(*value) : "error: " + value.error().message;
}

TEST(JsonCursor, KeepsAValuesTextWithoutTheSpaceAroundIt) {
  JsonCursor json("  { \"a\" : 1.50 }  ");
  EXPECT_EQ(json.Raw().value(), "{ \"a\" : 1.50 }");
  EXPECT_TRUE(json.End());
}

TEST(JsonCursor, AcceptsNumbersOfAnySize) {
  EXPECT_TRUE(Accepts("123456789012345678901234567890"));
  EXPECT_TRUE(Accepts("-0.5e+999"));
}

TEST(JsonCursor, RefusesWhatIsNotANumber) {
  for (const auto* text : {"01", "-", "1.", ".5", "1e", "+1", "0x1", "NaN", "1.e3", "--1"}) {
    EXPECT_FALSE(Accepts(text)) << text;
  }
}

TEST(JsonCursor, RefusesBrokenContainers) {
  for (const auto* text : {"{",
                           "[1,",
                           "[1 2]",
                           "{\"a\"}",
                           "{\"a\":}",
                           "{a:1}",
                           "[,1]",
                           "[1,]",
                           "{\"a\":1,}",
                           "[1]]",
                           "{]",
                           "[}",
                           "\"a",
                           "tru",
                           "nul",
                           "",
                           " ",
                           "{\"a\":1 \"b\":2}",
                           "{1:2}"}) {
    EXPECT_FALSE(Accepts(text)) << text;
  }
}

TEST(JsonCursor, AcceptsNestedContainers) {
  EXPECT_TRUE(Accepts(R"({"a":[{},[],[[]],{"b":{"c":[1,{"d":null}]}}],"e":[true,false]})"));
}

TEST(JsonCursor, RefusesControlCharactersInStringsWhereverTheyStand) {
  for (std::size_t at = 0; at < 20; ++at) {
    std::string text = "\"" + std::string(20, 'x') + "\"";
    text[1 + at] = '\n';
    EXPECT_FALSE(Accepts(text)) << at;
  }
}

TEST(JsonCursor, FindsTheClosingQuoteWhereverItStands) {
  for (std::size_t size = 0; size < 40; ++size) {
    const std::string inner(size, '\x7f');
    EXPECT_EQ(StringOf("\"" + inner + "\"   "), inner) << size;
  }
}

TEST(JsonCursor, UnescapesStrings) {
  EXPECT_EQ(StringOf(R"("a\"\\\/\b\f\n\r\tz")"), "a\"\\/\b\f\n\r\tz");
  EXPECT_EQ(StringOf(R"("\u00e9\u20AC\ud83d\ude00")"), "é€😀");
}

TEST(JsonCursor, RefusesBadEscapes) {
  for (const auto* text : {R"("\x")", R"("\u12")", R"("\u12g4")", R"("\)", R"("\u")"}) {
    EXPECT_FALSE(Accepts(text)) << text;
    EXPECT_THAT(StringOf(text), HasSubstr("error")) << text;
  }
}

TEST(JsonCursor, RefusesALoneSurrogateWhereTheValueIsNeeded) {
  EXPECT_THAT(StringOf(R"("\ud800")"), HasSubstr("lone surrogate"));
  EXPECT_THAT(StringOf(R"("\ude00")"), HasSubstr("lone surrogate"));
  EXPECT_THAT(StringOf(R"("\ud800\u0041")"), HasSubstr("lone surrogate"));
}

TEST(JsonCursor, SkippedContainersMayBeAThousandDeepAndNoDeeper) {
  const auto nested = [](std::size_t n) { return std::string(n, '[') + std::string(n, ']'); };
  EXPECT_TRUE(Accepts(nested(1000)));
  EXPECT_FALSE(Accepts(nested(1001)));
  EXPECT_FALSE(Accepts(std::string(1'000'000, '[')));
}

TEST(JsonCursor, IntegersMustBePlainAndFit) {
  JsonCursor max("9223372036854775807");
  EXPECT_EQ(max.Integer().value(), INT64_MAX);
  for (const auto* text : {"9223372036854775808", "1.0", "1e2", "\"1\"", "null"}) {
    JsonCursor json(text);
    EXPECT_FALSE(json.Integer()) << text;
  }
}

TEST(JsonCursor, NamesTheByteOfAnError) {
  JsonCursor json(R"({"a":1,"b":x})");
  const Status read = json.ReadObject([&](std::string_view) { return json.Skip(); });
  EXPECT_THAT(read.error().message, HasSubstr("at byte 11"));
}

}  // namespace
}  // namespace tidemark::broker

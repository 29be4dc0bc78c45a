#include "edge/dataset/time_text.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace tidemark::edge {
namespace {

// The same time in lower case, which is read letter by letter.
std::string LowerCase(std::string text) {
  for (char& c : text) {
    if (c == 'T') c = 't';
    if (c == 'Z') c = 'z';
  }
  return text;
}

void ExpectTheSame(const std::string& text) {
  const auto quick = ParseRfc3339(text);
  const auto thorough = ParseRfc3339(LowerCase(text));
  ASSERT_EQ(quick.has_value(), thorough.has_value()) << text;
  if (!quick) return;
  EXPECT_TRUE(quick->nanos == thorough->nanos) << text;
  EXPECT_EQ(quick->exact, thorough->exact) << text;
}

TEST(ParseRfc3339, ReadsUtcOfEveryLengthAsItReadsTheRest) {
  std::string text = "2026-11-30T10:09:58";
  ExpectTheSame(text + "Z");
  ExpectTheSame(text + ".Z");
  text += '.';
  for (const char digit : std::string_view("123456789012")) ExpectTheSame((text += digit) + "Z");
  EXPECT_TRUE(ParseRfc3339("1970-01-01T00:00:01.5Z")->nanos == Int128{1'500'000'000});
  EXPECT_TRUE(ParseRfc3339("1969-12-31T23:59:59.25Z")->nanos == Int128{-750'000'000});
}

TEST(PlainUtcNanos, TakesTheYearsThatItsNanosecondsHold) {
  const std::int64_t day = 86'400'000'000'000;
  EXPECT_EQ(PlainUtcNanos("1678-01-01T00:00:00Z"), -106'650 * day);
  EXPECT_EQ(PlainUtcNanos("1969-12-31T23:59:59.99999999Z"), -10);
  EXPECT_EQ(PlainUtcNanos("2261-12-31T23:59:59.5Z"), 106'651 * day - 500'000'000);
  EXPECT_EQ(PlainUtcNanos("1677-12-31T23:59:59Z"), std::nullopt);
  EXPECT_EQ(PlainUtcNanos("2262-01-01T00:00:00Z"), std::nullopt);
  EXPECT_TRUE(ParseRfc3339("2262-01-01T00:00:00Z")->nanos == Int128{106'651} * day);
}

TEST(FloorToMicros, RoundsDown) {
  EXPECT_EQ(FloorToMicros(1999), 1);
  EXPECT_EQ(FloorToMicros(-1), -1);
  EXPECT_EQ(FloorToMicros(-1000), -1);
}

TEST(ParseRfc3339, RefusesWhateverIsWrongInEitherForm) {
  std::mt19937 numbers(5);
  constexpr std::string_view kBytes = "0123456789-:.TZ \0/x\xff";
  for (int i = 0; i < 200'000; ++i) {
    std::string text = "2023-02-28T20:50:50.123456Z";
    text.erase(19, numbers() % 8);
    for (std::size_t changes = numbers() % 3; changes > 0; --changes) {
      text[numbers() % text.size()] = kBytes[numbers() % kBytes.size()];
    }
    ExpectTheSame(text);
  }
}

}  // namespace
}  // namespace tidemark::edge

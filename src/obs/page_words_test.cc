#include "obs/page_words.h"

#include <gtest/gtest.h>

namespace tidemark::obs {
namespace {

TEST(HtmlText, LeavesNoMarkup) {
  EXPECT_EQ(HtmlText("<b onload=\"x('&')\">"), "&lt;b onload=&quot;x(&#39;&amp;&#39;)&quot;&gt;");
  EXPECT_EQ(HtmlText("bestellungen-é-日"), "bestellungen-é-日");
}

TEST(HtmlText, ReplacesWhatIsNoText) {
  EXPECT_EQ(HtmlText("a\nb\x7f"), "a\uFFFDb\uFFFD");
  EXPECT_EQ(HtmlText("\xff<"), "\uFFFD&lt;");
  EXPECT_EQ(HtmlText("\xc3<"), "\uFFFD&lt;") << "a character cut short does not swallow markup";
  EXPECT_EQ(HtmlText("\xe2\x82"), "\uFFFD\uFFFD");
  EXPECT_EQ(HtmlText("\xed\xa0\x80"), "\uFFFD\uFFFD\uFFFD") << "a surrogate is no character";
}

TEST(CountWords, GroupsByThree) {
  EXPECT_EQ(CountWords(0), "0");
  EXPECT_EQ(CountWords(999), "999");
  EXPECT_EQ(CountWords(918'442), "918\u00A0442");
  EXPECT_EQ(CountWords(-123'456), "-123\u00A0456");
  EXPECT_EQ(CountWords(1'000'000), "1\u00A0000\u00A0000");
}

TEST(SizeWords, TakesTheUnitThatFits) {
  EXPECT_EQ(SizeWords(0), "0 B");
  EXPECT_EQ(SizeWords(1023), "1023 B");
  EXPECT_EQ(SizeWords(1536), "1.5 KiB");
  EXPECT_EQ(SizeWords(1024.0 * 1024 - 1), "1.0 MiB");
  EXPECT_EQ(SizeWords(44'139'012), "42.1 MiB");
}

TEST(SpanWords, TakesTwoUnits) {
  EXPECT_EQ(SpanWords(-3), "0 s");
  EXPECT_EQ(SpanWords(59.9), "59 s");
  EXPECT_EQ(SpanWords(303), "5 min 3 s");
  EXPECT_EQ(SpanWords(7'500), "2 h 5 min");
  EXPECT_EQ(SpanWords(274'000), "3 d 4 h");
}

TEST(TimeWords, IsUtcToTheSecond) {
  EXPECT_EQ(TimeWords(Micros(1'788'516'300'999'999)), "2026-09-04 10:05:00");
  EXPECT_EQ(TimeWords(kMinusInfinity), "never");
}

}  // namespace
}  // namespace tidemark::obs

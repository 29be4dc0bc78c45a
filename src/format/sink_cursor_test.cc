#include "format/sink_cursor.h"

#include <gtest/gtest.h>

namespace tidemark::format {
namespace {

SinkCursor Cursor() {
  return {.epoch = Epoch(0x5f3c), .coverage = {{"", Position(9)}, {"telemetry", Position(7)}}};
}

// The text that docs/formats/catalog.md shows.
constexpr char kText[] =
    "aa928d83 {\"epoch\":\"0000000000005f3c\",\"coverage\":{\"\":9,\"telemetry\":7}}\n";

TEST(SinkCursor, IsALineBehindItsChecksum) { EXPECT_EQ(EncodeCursor(Cursor()), kText); }

TEST(SinkCursor, IsReadBack) { EXPECT_EQ(DecodeCursor(EncodeCursor(Cursor())).value(), Cursor()); }

TEST(SinkCursor, TheWatermarkIsTheLowestCoverage) {
  EXPECT_EQ(Cursor().Watermark(), Position(7));
  EXPECT_EQ(SinkCursor().Watermark(), Position(0));
}

TEST(SinkCursor, EveryChangedByteIsSeen) {
  const std::string text = EncodeCursor(Cursor());
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string changed = text;
    changed[i] = static_cast<char>(changed[i] ^ 0x04);
    EXPECT_FALSE(DecodeCursor(changed)) << i;
    EXPECT_FALSE(DecodeCursor(text.substr(0, i))) << i;
  }
}

}  // namespace
}  // namespace tidemark::format

#include "format/wal_segment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <sstream>

#include "base/digest.h"
#include "format/source_token.h"
#include "format/wal_frame.h"

namespace tidemark::format {
namespace {

using ::testing::HasSubstr;

WalSegmentHeader SampleHeader() {
  return {.epoch = Epoch(0x00065c01a3e00000),
          .first = Position(3),
          .follows = Position(2),
          .tokens = {{{"drop", "a"}, "9"}}};
}

WalGroupHeader SampleGroup() {
  return {.epoch = Epoch(0x00065c01a3e00000),
          .frames = 1,
          .bytes = 50,
          .first = Position(3),
          .durable_through = Position(2)};
}

std::string Encoded(const WalGroupHeader& header) {
  std::string out;
  EncodeWalGroupHeader(header, out);
  return out;
}

// A segment with one record and the mark behind it.
std::string SampleSegment() {
  const std::string token = EncodeSourceToken({.stream = "a", .place = "17"});
  const WalRecord record{.position = Position(3),
                         .ingest_time = Micros(1'790'000'000'000'000),
                         .clock_synced = true,
                         .source = "drop",
                         .topic = "files/a",
                         .token = token,
                         .payload = R"({"n":1})"};
  WalGroupHeader group = SampleGroup();
  group.bytes = FrameBytes(record);
  const WalGroupHeader mark{.epoch = group.epoch,
                            .frames = 0,
                            .bytes = 0,
                            .first = Position(4),
                            .durable_through = Position(3)};
  std::string out = EncodeWalSegmentHeader(SampleHeader());
  EncodeWalGroupHeader(group, out);
  EncodeFrame(record, out);
  EncodeWalGroupHeader(mark, out);
  return out;
}

// What stands in front of two blanks on each line of the page's ```hex blocks.
std::string HexOfThePage() {
  std::ifstream page(TIDEMARK_DOCS "/formats/wal.md");
  std::string hex;
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("```")) {
      inside = line == "```hex";
    } else if (inside) {
      std::string bytes = line.substr(0, line.find("  "));
      std::erase(bytes, ' ');
      hex += bytes;
    }
  }
  return hex;
}

TEST(WalSegment, IsAsThePageShows) { EXPECT_EQ(HexOfThePage(), ToHex(SampleSegment())); }

TEST(WalSegmentHeader, ReadsBackWhatWasWritten) {
  EXPECT_EQ(DecodeWalSegmentHeader(EncodeWalSegmentHeader(SampleHeader())), SampleHeader());
}

TEST(WalSegmentHeader, SaysHowLongItIs) {
  const std::string bytes = EncodeWalSegmentHeader(SampleHeader());
  EXPECT_EQ(WalSegmentHeaderBytes(bytes + "groups"), bytes.size());
}

TEST(WalSegmentHeader, EveryFlippedBitIsSeen) {
  const std::string bytes = EncodeWalSegmentHeader(SampleHeader());
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::string damaged = bytes;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    EXPECT_FALSE(DecodeWalSegmentHeader(damaged).has_value()) << "bit " << bit;
  }
}

TEST(WalSegmentHeader, EveryCutIsSeen) {
  const std::string bytes = EncodeWalSegmentHeader(SampleHeader());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(DecodeWalSegmentHeader(bytes.substr(0, size)).has_value()) << size;
  }
}

TEST(WalSegmentHeader, AnotherFileIsNamedAsSuch) {
  EXPECT_THAT(DecodeWalSegmentHeader("TDMKWAL2 from the future").error().message,
              HasSubstr("no segment"));
}

TEST(WalGroupHeader, ReadsBackWhatWasWritten) {
  EXPECT_EQ(DecodeWalGroupHeader(Encoded(SampleGroup()) + "frames"), SampleGroup());
  EXPECT_EQ(Encoded(SampleGroup()).size(), kWalGroupHeaderBytes);
}

TEST(WalGroupHeader, EveryFlippedBitIsSeen) {
  const std::string bytes = Encoded(SampleGroup());
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::string damaged = bytes;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    EXPECT_FALSE(DecodeWalGroupHeader(damaged).has_value()) << "bit " << bit;
  }
}

TEST(WalGroupHeader, ZerosAreNoGroup) {
  EXPECT_FALSE(DecodeWalGroupHeader(std::string(kWalGroupHeaderBytes, '\0')).has_value());
}

TEST(WalSegmentName, HasTwentyDigitsAndSortsByPosition) {
  EXPECT_EQ(WalSegmentName(Position(42)), "00000000000000000042.wal");
  EXPECT_LT(WalSegmentName(Position(9)), WalSegmentName(Position(10)));
  EXPECT_EQ(ParseWalSegmentName("00000000000000000042.wal"), Position(42));
}

TEST(WalSegmentName, OtherNamesAreNone) {
  for (const auto* name : {"42.wal",
                           "00000000000000000000.wal",
                           "0000000000000000004x.wal",
                           "00000000000000000042.wal.cut-7",
                           "99999999999999999999.wal",
                           "-0000000000000000042.wal",
                           "epoch",
                           ""}) {
    EXPECT_EQ(ParseWalSegmentName(name), std::nullopt) << name;
  }
}

TEST(EpochFile, IsSixteenHexDigits) {
  EXPECT_EQ(EncodeEpochFile(Epoch(0x00065c01a3e00000)), "00065c01a3e00000\n");
  EXPECT_EQ(DecodeEpochFile("00065c01a3e00000\n"), Epoch(0x00065c01a3e00000));
}

TEST(EpochFile, AnythingElseIsDamage) {
  for (const auto* text : {"",
                           "\n",
                           "65c01a3e00000\n",
                           "00065C01A3E00000\n",
                           "00065c01a3e00000",
                           "0000000000000000\n",
                           "00065c01a3e00000\n\n"}) {
    EXPECT_FALSE(DecodeEpochFile(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace tidemark::format

#include "format/wal_frame.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/crc32c.h"
#include "base/digest.h"
#include "base/wire.h"
#include "format/source_token.h"

namespace tidemark::format {
namespace {

using ::testing::HasSubstr;

WalRecord Sample() {
  return {.position = Position(7),
          .ingest_time = Micros(1'790'000'000'000'000),
          .clock_synced = true,
          .source = "drop",
          .topic = "files/a",
          .token = "tok",
          .payload = R"({"n":1})"};
}

std::string Encoded(const WalRecord& record) {
  std::string out;
  EncodeFrame(record, out);
  return out;
}

TEST(WalFrame, IsLittleEndianBehindLengthAndChecksum) {
  EXPECT_EQ(ToHex(Encoded(Sample())),
            "2a000000"
            "f714af61"
            "01"
            "0700000000000000"
            "00e025dafe5b0600"
            "0464726f70"
            "0766696c65732f61"
            "03746f6b"
            "077b226e223a317d");
}

TEST(WalFrame, ReadsBackWhatWasWritten) {
  const std::string frame = Encoded(Sample());
  const auto record = DecodeFrame(frame);
  ASSERT_TRUE(record.has_value());
  EXPECT_EQ(record->position, Position(7));
  EXPECT_EQ(record->ingest_time, Sample().ingest_time);
  EXPECT_TRUE(record->clock_synced);
  EXPECT_EQ(record->source, "drop");
  EXPECT_EQ(record->topic, "files/a");
  EXPECT_EQ(record->token, "tok");
  EXPECT_EQ(record->payload, R"({"n":1})");
  EXPECT_EQ(record->full_bytes, 0u);
}

TEST(WalFrame, KeepsTheFullSizeOfAPayloadThatWasCut) {
  WalRecord record = Sample();
  record.full_bytes = 20'000'000;
  const std::string frame = Encoded(record);
  EXPECT_EQ(DecodeFrame(frame)->full_bytes, 20'000'000u);
  EXPECT_EQ(DecodeFrame(frame)->payload, Sample().payload);
}

TEST(WalFrame, AnyBytesAreAPayload) {
  WalRecord record = Sample();
  record.payload = std::string_view("\0\xff\n", 3);
  EXPECT_EQ(DecodeFrame(Encoded(record))->payload.size(), 3u);
}

TEST(WalFrame, ItsSizeIsKnownBeforeAndFromItsHead) {
  WalRecord record = Sample();
  for (const std::uint64_t full : {std::uint64_t{0}, std::uint64_t{300}}) {
    record.full_bytes = full;
    const std::string frame = Encoded(record);
    EXPECT_EQ(FrameBytes(record), frame.size());
    EXPECT_EQ(FrameBytesOf(std::string_view(frame).substr(0, kFrameHeadBytes)), frame.size());
  }
  EXPECT_EQ(FrameBytes(WalRecord{}), kLeastFrameBytes);
}

TEST(WalFrame, EveryFlippedBitIsSeen) {
  const std::string frame = Encoded(Sample());
  for (std::size_t bit = 0; bit < 8 * frame.size(); ++bit) {
    std::string damaged = frame;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    EXPECT_FALSE(DecodeFrame(damaged).has_value()) << "bit " << bit;
  }
}

TEST(WalFrame, EveryCutIsSeen) {
  const std::string frame = Encoded(Sample());
  for (std::size_t size = 0; size < frame.size(); ++size) {
    EXPECT_FALSE(DecodeFrame(frame.substr(0, size)).has_value()) << size;
  }
}

TEST(WalFrame, RightChecksumButWrongContentIsRefusedWithItsPosition) {
  std::string frame = Encoded(Sample());
  frame.back() = '}';
  frame.push_back('!');
  SetU32(static_cast<std::uint32_t>(frame.size() - kFrameHeadBytes), 0, frame);
  SetU32(Crc32c(std::string_view(frame).substr(kFrameHeadBytes)), 4, frame);
  EXPECT_THAT(DecodeFrame(frame).error().message, HasSubstr("position 7 does not decode"));
}

TEST(WalFrame, AnUnknownFlagIsRefused) {
  std::string frame = Encoded(Sample());
  frame[kFrameHeadBytes] = 4;
  SetU32(Crc32c(std::string_view(frame).substr(kFrameHeadBytes)), 4, frame);
  EXPECT_THAT(DecodeFrame(frame).error().message, HasSubstr("does not decode"));
}

TEST(WalFrame, APayloadThatWasCutHadASize) {
  WalRecord record = Sample();
  record.full_bytes = 1;
  std::string frame = Encoded(record);
  // Behind the full size stand the payload and its length, which take a byte.
  frame[frame.size() - record.payload.size() - 2] = 0;
  SetU32(Crc32c(std::string_view(frame).substr(kFrameHeadBytes)), 4, frame);
  EXPECT_THAT(DecodeFrame(frame).error().message, HasSubstr("does not decode"));
}

TEST(SourceToken, ReadsBackWhatWasWritten) {
  const std::string text = EncodeSourceToken({.stream = "inode 7", .place = "at 9"});
  EXPECT_EQ(DecodeSourceToken(text).stream, "inode 7");
  EXPECT_EQ(DecodeSourceToken(text).place, "at 9");
}

TEST(SourceToken, ForeignTextIsAPlaceOfTheNamelessStream) {
  EXPECT_EQ(DecodeSourceToken("zz").stream, "");
  EXPECT_EQ(DecodeSourceToken("zz").place, "zz");
}

}  // namespace
}  // namespace tidemark::format

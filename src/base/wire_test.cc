#include "base/wire.h"

#include <gtest/gtest.h>

#include <string>

#include "base/digest.h"

namespace tidemark {
namespace {

std::string VarintHex(std::uint64_t value) {
  std::string out;
  PutVarint(value, out);
  return ToHex(out);
}

TEST(Wire, NumbersAreLittleEndian) {
  std::string out;
  PutU8(0xfe, out);
  PutU32(0x01020304, out);
  PutU64(0x0102030405060708, out);
  PutI64(-2, out);
  EXPECT_EQ(ToHex(out),
            "fe04030201"
            "0807060504030201"
            "feffffffffffffff");
}

TEST(Wire, VarintsHaveSevenBitsAByte) {
  EXPECT_EQ(VarintHex(0), "00");
  EXPECT_EQ(VarintHex(127), "7f");
  EXPECT_EQ(VarintHex(128), "8001");
  EXPECT_EQ(VarintHex(300), "ac02");
  EXPECT_EQ(VarintHex(UINT64_MAX), "ffffffffffffffffff01");
}

TEST(Wire, VarintSizeIsWhatPutVarintAppends) {
  for (int bit = 0; bit < 64; ++bit) {
    for (const std::uint64_t value : {(std::uint64_t{1} << bit) - 1, std::uint64_t{1} << bit}) {
      EXPECT_EQ(VarintSize(value), VarintHex(value).size() / 2) << value;
    }
  }
  EXPECT_EQ(VarintSize(UINT64_MAX), 10u);
}

TEST(Wire, ReadsBackWhatWasPut) {
  std::string out;
  PutU8(7, out);
  PutU32(UINT32_MAX, out);
  PutI64(INT64_MIN, out);
  PutVarint(1'000'000, out);
  PutBytes("robots/7", out);
  PutBytes("", out);
  WireReader reader(out);
  EXPECT_EQ(reader.U8(), 7);
  EXPECT_EQ(reader.U32(), UINT32_MAX);
  EXPECT_EQ(reader.I64(), INT64_MIN);
  EXPECT_EQ(reader.Varint(), 1'000'000u);
  EXPECT_EQ(reader.Bytes(), "robots/7");
  EXPECT_FALSE(reader.AtEnd());
  EXPECT_EQ(reader.Bytes(), "");
  EXPECT_TRUE(reader.AtEnd());
}

TEST(Wire, AReadBeyondTheEndFailsForGood) {
  WireReader reader("\x01\x02\x03");
  EXPECT_EQ(reader.U32(), 0u);
  EXPECT_FALSE(reader.ok());
  EXPECT_EQ(reader.U8(), 0);
  EXPECT_FALSE(reader.AtEnd());
}

TEST(Wire, ALengthBeyondTheEndFails) {
  WireReader reader(
      "\x05"
      "four");
  EXPECT_EQ(reader.Bytes(), "");
  EXPECT_FALSE(reader.ok());
}

TEST(Wire, AFlagIsZeroOrOne) {
  WireReader reader(std::string_view("\0\1\2\1", 4));
  EXPECT_FALSE(reader.Flag());
  EXPECT_TRUE(reader.Flag());
  EXPECT_TRUE(reader.ok());
  EXPECT_FALSE(reader.Flag());
  EXPECT_FALSE(reader.ok());
}

TEST(Wire, AVarintHasOneSpelling) {
  WireReader padded(std::string_view("\x80\x00", 2));
  padded.Varint();
  EXPECT_FALSE(padded.ok());
  WireReader too_large("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02");
  too_large.Varint();
  EXPECT_FALSE(too_large.ok());
  WireReader endless("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff");
  endless.Varint();
  EXPECT_FALSE(endless.ok());
}

TEST(Wire, ANumberKnownLastIsPutInPlace) {
  std::string out = "....rest";
  SetU32(0x64636261, 0, out);
  EXPECT_EQ(out, "abcdrest");
}

}  // namespace
}  // namespace tidemark

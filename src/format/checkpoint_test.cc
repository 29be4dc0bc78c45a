#include "format/checkpoint.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/compress.h"

namespace tidemark::format {
namespace {

Checkpoint With(std::vector<Checkpoint::Position> positions) {
  return {WindowNumber(1840), Micros(1788515700000000), std::move(positions)};
}

std::string TextOf(const Checkpoint& checkpoint) {
  return ZstdDecompress(EncodeCheckpoint(checkpoint), 1 << 20).value();
}

Result<Checkpoint> DecodeText(std::string_view text) {
  return DecodeCheckpoint(ZstdCompress(text));
}

TEST(EncodeCheckpoint, IsTheContractsExample) {
  EXPECT_EQ(
      TextOf(With({{"cust-0420", Offset(1812)}, {"cust-0421", Offset(44)}})),
      R"({"k":1840,"tEnd":1788515700000000,"positions":[["cust-0420",1812],["cust-0421",44]]})");
}

TEST(EncodeCheckpoint, WithoutPositions) {
  EXPECT_EQ(TextOf(With({})), R"({"k":1840,"tEnd":1788515700000000,"positions":[]})");
}

TEST(EncodeCheckpoint, TheSameMapGivesTheSameBytes) {
  EXPECT_EQ(EncodeCheckpoint(With({{"b", Offset(2)}, {"a", Offset(1)}, {"é", Offset(3)}})),
            EncodeCheckpoint(With({{"é", Offset(3)}, {"a", Offset(1)}, {"b", Offset(2)}})));
}

TEST(EncodeCheckpoint, SortsByUnsignedBytes) {
  EXPECT_NE(TextOf(With({{"é", Offset(1)}, {"z", Offset(2)}})).find(R"([["z",2],["é",1]])"),
            std::string::npos);
}

TEST(EncodeCheckpoint, IsOneZstdFrame) {
  EXPECT_EQ(EncodeCheckpoint(With({})).substr(0, 4), "\x28\xb5\x2f\xfd");
}

TEST(DecodeCheckpoint, KeepsOddNames) {
  const auto checkpoint = With({{"", Offset(0)},
                                {"\x01\t\"\\", Offset(1)},
                                {"a/b", Offset(2)},
                                {"région", Offset(INT64_MAX)}});
  EXPECT_EQ(DecodeCheckpoint(EncodeCheckpoint(checkpoint)).value(), checkpoint);
}

TEST(DecodeCheckpoint, SortsWhatIsNot) {
  EXPECT_EQ(DecodeText(R"({"positions":[["b",2],["a",1]],"tEnd":1,"k":0})")->positions,
            (std::vector<Checkpoint::Position>{{"a", Offset(1)}, {"b", Offset(2)}}));
}

TEST(DecodeCheckpoint, SortsInTheFewThatCameLater) {
  const auto checkpoint =
      DecodeText(R"({"positions":[["b",2],["d",4],["f",6],["e",5],["a",1]],"tEnd":1,"k":0})");
  EXPECT_EQ(checkpoint->positions,
            (std::vector<Checkpoint::Position>{{"a", Offset(1)},
                                               {"b", Offset(2)},
                                               {"d", Offset(4)},
                                               {"e", Offset(5)},
                                               {"f", Offset(6)}}));
}

TEST(DecodeCheckpoint, PassesOverUnknownFields) {
  const auto checkpoint =
      DecodeText(R"({"v":[["x",1],{"k":9,"positions":[["y",2]]}],"k":1,"tEnd":2,)"
                 R"("positions":[["a",3]],"note":null,"share":0.5,"ok":true})");
  ASSERT_TRUE(checkpoint.has_value());
  EXPECT_EQ(*checkpoint, (Checkpoint{WindowNumber(1), Micros(2), {{"a", Offset(3)}}}));
}

class BadCheckpoint : public testing::TestWithParam<const char*> {};

TEST_P(BadCheckpoint, IsCorruption) {
  const auto decoded = DecodeText(GetParam());
  ASSERT_FALSE(decoded.has_value());
  EXPECT_EQ(decoded.error().code, ErrorCode::kCorruption);
}

INSTANTIATE_TEST_SUITE_P(
    Texts,
    BadCheckpoint,
    testing::Values("",
                    "[]",
                    "7",
                    "{}",
                    R"({"k":1,"tEnd":2})",
                    R"({"k":1,"positions":[]})",
                    R"({"tEnd":2,"positions":[]})",
                    R"({"k":-1,"tEnd":2,"positions":[]})",
                    R"({"k":[1],"tEnd":2,"positions":[]})",
                    R"({"k":1,"tEnd":"2","positions":[]})",
                    R"({"k":1,"tEnd":2,"positions":{}})",
                    R"({"k":1,"tEnd":2,"positions":7})",
                    R"({"k":1,"tEnd":2,"positions":["a",1]})",
                    R"({"k":1,"tEnd":2,"positions":[{}]})",
                    R"({"k":1,"tEnd":2,"positions":[[]]})",
                    R"({"k":1,"tEnd":2,"positions":[["a"]]})",
                    R"({"k":1,"tEnd":2,"positions":[[1,"a"]]})",
                    R"({"k":1,"tEnd":2,"positions":[["a",1,2]]})",
                    R"({"k":1,"tEnd":2,"positions":[["a",-1]]})",
                    R"({"k":1,"tEnd":2,"positions":[["a",1.5]]})",
                    R"({"k":1,"tEnd":2,"positions":[["a",null]]})",
                    R"({"k":1,"tEnd":2,"positions":[["a",[1]]]})",
                    R"({"k":1,"tEnd":2,"positions":[["a",9223372036854775808]]})",
                    R"({"k":1,"tEnd":2,"positions":[["a",1],["a",2]]})",
                    R"({"k":1,"tEnd":2,"positions":[["a",1]]}x)",
                    R"({"k":1,"tEnd":2,"positions":[["a",1])"));

TEST(DecodeCheckpoint, BytesThatAreNoFrameAreCorruption) {
  EXPECT_EQ(DecodeCheckpoint("plain text").error().code, ErrorCode::kCorruption);
  EXPECT_EQ(DecodeCheckpoint("").error().code, ErrorCode::kCorruption);
}

TEST(DecodeCheckpoint, EveryTruncationIsCorruption) {
  const auto bytes = EncodeCheckpoint(With({{"cust-0420", Offset(1812)}, {"b", Offset(2)}}));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(DecodeCheckpoint(bytes.substr(0, size)).has_value()) << size;
  }
}

TEST(Checkpoint, AMillionPositionsStayBelow24MiB) {
  std::vector<Checkpoint::Position> positions;
  positions.reserve(1'000'000);
  for (std::int64_t i = 0; i < 1'000'000; ++i) {
    // Spread like real offsets: a constant or a ramp would compress to nothing.
    const auto next =
        static_cast<std::int64_t>(static_cast<std::uint64_t>(i) * 2654435761U % 1'000'003);
    positions.push_back({fmt::format("customer-{:09}", i), Offset(next)});
  }
  const auto checkpoint = With(std::move(positions));
  const auto bytes = EncodeCheckpoint(checkpoint);
  EXPECT_LT(bytes.size(), std::size_t{24} << 20);
  EXPECT_EQ(DecodeCheckpoint(bytes).value(), checkpoint);
}

}  // namespace
}  // namespace tidemark::format

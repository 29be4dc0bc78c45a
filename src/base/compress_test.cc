#include "base/compress.h"

#include <gtest/gtest.h>

#include <functional>

#include "base/digest.h"

namespace tidemark {
namespace {

constexpr std::uint64_t kPlenty = std::uint64_t{1} << 30;

// Compressible text of `size` bytes, the same every time.
std::string SampleText(std::size_t size) {
  std::string text;
  for (std::uint64_t i = 1; text.size() < size; ++i) {
    text += "{\"n\":" + std::to_string(i * 2654435761U % 100'003) + "}\n";
  }
  text.resize(size);
  return text;
}

// Cut sizes grow so that they meet block edges at every phase.
std::string CompressInPieces(Compressor& compressor, std::string_view text, std::size_t piece) {
  std::string out;
  while (!text.empty()) {
    compressor.Write(text.substr(0, piece), out);
    text.remove_prefix(std::min(piece, text.size()));
    piece += piece / 3 + 1;
  }
  compressor.Finish(out);
  return out;
}

struct Codec {
  const char* name;
  std::function<std::unique_ptr<Compressor>()> make;
  std::function<Result<std::string>(std::string_view, std::uint64_t)> decompress;
  // Digest of the compressed form of SampleText(1'000'000): a library or level that moves it moves
  // every object.
  const char* golden;
};

class EveryCodec : public testing::TestWithParam<Codec> {};

TEST_P(EveryCodec, GivesTheSameBytesHoweverTheInputIsCut) {
  for (const std::size_t size : {0U, 1U, 131'071U, 131'072U, 131'073U, 262'144U, 1'000'000U}) {
    const std::string text = SampleText(size);
    const std::string whole = CompressInPieces(*GetParam().make(), text, text.size() + 1);
    for (const std::size_t piece : {1U, 100U, 65'536U, 131'072U}) {
      EXPECT_EQ(CompressInPieces(*GetParam().make(), text, piece), whole)
          << size << " by " << piece;
    }
  }
}

TEST_P(EveryCodec, ComesBackAsItWas) {
  for (const std::size_t size : {0U, 1U, 131'072U, 1'000'000U}) {
    const std::string text = SampleText(size);
    const auto back =
        GetParam().decompress(CompressInPieces(*GetParam().make(), text, 1000), kPlenty);
    ASSERT_TRUE(back.has_value()) << back.error().message;
    EXPECT_EQ(*back, text);
  }
}

TEST_P(EveryCodec, HasGoldenBytes) {
  const std::string out = CompressInPieces(*GetParam().make(), SampleText(1'000'000), 4096);
  EXPECT_EQ(ToHex(Sha256Of(out)), GetParam().golden);
}

TEST_P(EveryCodec, CallsEveryTruncationCorrupt) {
  const std::string out = CompressInPieces(*GetParam().make(), SampleText(1000), 1000);
  for (std::size_t size = 0; size < out.size(); ++size) {
    const auto back = GetParam().decompress(std::string_view(out).substr(0, size), kPlenty);
    ASSERT_FALSE(back.has_value()) << size;
    EXPECT_EQ(back.error().code, ErrorCode::kCorruption);
  }
}

TEST_P(EveryCodec, CallsForeignBytesCorrupt) {
  const auto back = GetParam().decompress("{\"not\":\"compressed\"}", kPlenty);
  ASSERT_FALSE(back.has_value());
  EXPECT_EQ(back.error().code, ErrorCode::kCorruption);
}

TEST_P(EveryCodec, CallsBytesAfterTheEndCorrupt) {
  const std::string out = CompressInPieces(*GetParam().make(), "text", 4) + "tail";
  const auto back = GetParam().decompress(out, kPlenty);
  ASSERT_FALSE(back.has_value());
  EXPECT_EQ(back.error().code, ErrorCode::kCorruption);
}

TEST_P(EveryCodec, StopsAtTheSizeLimit) {
  const std::string out = CompressInPieces(*GetParam().make(), SampleText(300'000), 4096);
  EXPECT_TRUE(GetParam().decompress(out, 300'000).has_value());
  const auto back = GetParam().decompress(out, 299'999);
  ASSERT_FALSE(back.has_value());
  EXPECT_EQ(back.error().code, ErrorCode::kExhausted);
}

TEST_P(EveryCodec, CountsItsOwnTables) {
  const auto compressor = GetParam().make();
  std::string out;
  compressor->Write(SampleText(1'000'000), out);
  EXPECT_GT(compressor->memory_bytes(), 200'000U);
  EXPECT_LT(compressor->memory_bytes(), 8'000'000U);
}

INSTANTIATE_TEST_SUITE_P(
    Codecs,
    EveryCodec,
    testing::Values(Codec{"zstd",
                          NewZstdCompressor,
                          ZstdDecompress,
                          "f35f105056c7e575595df88617e56769e01419695823b4c211b5af4305cbb197"},
                    Codec{"gzip",
                          NewGzipCompressor,
                          GzipDecompress,
                          "cbda32234cfaa6f0f466f04b6618c217d55be68e343e9a53425aaa7221c15efc"}),
    [](const auto& codec) { return codec.param.name; });

TEST(GzipCompressor, WritesNoTimeNoNameAndNoOperatingSystem) {
  const std::string out = CompressInPieces(*NewGzipCompressor(), "text", 4);
  EXPECT_EQ(out.substr(0, 10), std::string_view("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff", 10));
}

TEST(ZstdCompress, IsTheStreamInOneCall) {
  const std::string text = SampleText(500'000);
  EXPECT_EQ(ZstdCompress(text), CompressInPieces(*NewZstdCompressor(), text, 777));
}

TEST(NullCompressor, PassesBytesThrough) {
  EXPECT_EQ(CompressInPieces(*NewNullCompressor(), "abcdef", 2), "abcdef");
}

}  // namespace
}  // namespace tidemark

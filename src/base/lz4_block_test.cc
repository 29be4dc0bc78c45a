#include "base/lz4_block.h"

#include <gtest/gtest.h>

#include <random>

namespace tidemark {
namespace {

std::string Noise(std::size_t bytes) {
  std::mt19937 numbers(7);
  std::string noise(bytes, '\0');
  for (char& c : noise) c = static_cast<char>(numbers());
  return noise;
}

TEST(Lz4Block, ComesBackAsItWas) {
  const std::string text = Noise(1000) + std::string(50'000, 'x') + Noise(1000);
  std::string out = "before";
  ASSERT_TRUE(AppendLz4(text, out));
  EXPECT_LT(out.size(), 4000u);
  EXPECT_EQ(out.substr(0, 6), "before");
  std::string back(text.size(), '\0');
  UnpackLz4(std::string_view(out).substr(6), back);
  EXPECT_EQ(back, text);
}

TEST(Lz4Block, LeavesAloneWhatDoesNotShrinkByAQuarter) {
  std::string out = "before";
  EXPECT_FALSE(AppendLz4(Noise(10'000), out));
  EXPECT_FALSE(AppendLz4(Noise(8'000) + std::string(2'000, 'x'), out));
  EXPECT_EQ(out, "before");
}

TEST(Lz4Block, NothingIsNotPacked) {
  std::string out;
  EXPECT_FALSE(AppendLz4("", out));
  EXPECT_TRUE(out.empty());
}

}  // namespace
}  // namespace tidemark

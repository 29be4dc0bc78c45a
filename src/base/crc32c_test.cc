#include "base/crc32c.h"

#include <gtest/gtest.h>

#include <string>

namespace tidemark {
namespace {

// RFC 3720, B.4, and the check value of the CRC catalogue.
TEST(Crc32c, GivesThePublishedValues) {
  std::string ascending;
  for (char c = 0; c < 32; ++c) ascending.push_back(c);
  EXPECT_EQ(Crc32c("123456789"), 0xE3069283u);
  EXPECT_EQ(Crc32c(std::string(32, '\0')), 0x8A9136AAu);
  EXPECT_EQ(Crc32c(std::string(32, '\xff')), 0x62A8AB43u);
  EXPECT_EQ(Crc32c(ascending), 0x46DD794Eu);
  EXPECT_EQ(Crc32c(""), 0u);
}

TEST(Crc32c, GoesOnWhereItStopped) {
  const std::string text = "The quick brown fox jumps over the lazy dog";
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    EXPECT_EQ(Crc32c(text.substr(cut), Crc32c(text.substr(0, cut))), Crc32c(text));
  }
}

TEST(Crc32c, IsTheSameWithAndWithoutTheInstruction) {
  std::string bytes;
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(internal::PortableCrc32c(bytes, 7), Crc32c(bytes, 7)) << i;
    bytes.push_back(static_cast<char>(i * 37 + i / 7));
  }
}

}  // namespace
}  // namespace tidemark

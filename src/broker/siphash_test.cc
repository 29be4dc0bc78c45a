#include "broker/siphash.h"

#include <gtest/gtest.h>

namespace tidemark::broker {
namespace {

// Key 00 01 … 0f, messages 00 01 …: the vectors of the reference implementation (128 bits, first
// bytes first).
constexpr SipKey kReferenceKey{0x0706050403020100, 0x0f0e0d0c0b0a0908};

TEST(SipHash, MatchesTheReferenceForTheEmptyMessage) {
  EXPECT_EQ(SipHash(kReferenceKey, ""), (Hash128{0xe6a825ba047f81a3, 0x930255c71472f66d}));
}

TEST(SipHash, MatchesTheReferenceForOneByte) {
  EXPECT_EQ(SipHash(kReferenceKey, std::string_view("\0", 1)),
            (Hash128{0x44af996bd8c187da, 0x45fc229b11597634}));
}

TEST(SipHash, APrefixIsEightBytesBeforeTheText) {
  const std::string whole = std::string("\x02\0\0\0\0\0\0\0", 8) + "abc";
  EXPECT_EQ(SipHash(kReferenceKey, 2, "abc"), SipHash(kReferenceKey, whole));
}

TEST(SipHash, AnotherKeyIsAnotherHash) {
  EXPECT_NE(SipHash({1, 2}, "t-1"), SipHash({1, 3}, "t-1"));
}

}  // namespace
}  // namespace tidemark::broker

#include "base/digest.h"

#include <gtest/gtest.h>

namespace tidemark {
namespace {

TEST(Sha256Of, KnowsTheEmptyText) {
  EXPECT_EQ(ToHex(Sha256Of("")),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(Sha256, IsTheSameHoweverTheInputIsCut) {
  Sha256 digest;
  digest.Update("ab");
  digest.Update("");
  digest.Update("c");
  EXPECT_EQ(ToHex(digest.Finish()),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Sha256, MovesWithWhatItHasSeen) {
  Sha256 first;
  first.Update("a");
  Sha256 second = std::move(first);
  second.Update("bc");
  EXPECT_EQ(second.Finish(), Sha256Of("abc"));
}

TEST(Md5Of, KnowsTheVectorOfItsStandard) {
  EXPECT_EQ(ToHex(Md5Of("message digest")), "f96b697d7cb7938d525a2f31aaf161d0");
}

TEST(HmacSha256, KnowsTheVectorOfItsStandard) {
  EXPECT_EQ(ToHex(HmacSha256("Jefe", "what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

TEST(HmacSha256, TakesAnEmptyKey) {
  EXPECT_EQ(ToHex(HmacSha256("", "")),
            "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad");
}

TEST(ToHex, KeepsHighBytesAndZeros) {
  EXPECT_EQ(ToHex(std::string_view("\x00\x7f\x80\xff", 4)), "007f80ff");
}

TEST(ToBase64, PadsToFour) {
  EXPECT_EQ(ToBase64(""), "");
  EXPECT_EQ(ToBase64("f"), "Zg==");
  EXPECT_EQ(ToBase64("fo"), "Zm8=");
  EXPECT_EQ(ToBase64("foo"), "Zm9v");
}

}  // namespace
}  // namespace tidemark

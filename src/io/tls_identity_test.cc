#include "io/tls_identity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/lossy_file_system.h"
#include "tests/support/tls_pems.h"

namespace tidemark::io {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class TlsIdentityTest : public ::testing::Test {
 protected:
  void Put(const std::string& path, const std::string& text) {
    const auto file = files_.CreateLocked(path).value();
    ASSERT_TRUE(file->WriteAt(0, text).has_value());
  }

  // The message of a refusal to take `certificate` and `key`.
  std::string Refusal(const std::string& certificate, const std::string& key) {
    Put("/certificate.pem", certificate);
    Put("/key.pem", key);
    const auto read = TlsIdentity::Read(files_, "/certificate.pem", "/key.pem");
    EXPECT_FALSE(read.has_value());
    if (read) return "";
    EXPECT_EQ(read.error().code, ErrorCode::kInvalidArgument);
    return read.error().message;
  }

  LossyFileSystem files_;
};

TEST_F(TlsIdentityTest, TakesACertificateWithItsKeyAndSaysHowLongItIsGood) {
  Put("/certificate.pem", test::kCertificatePem);
  Put("/key.pem", test::kKeyPem);
  const auto read = TlsIdentity::Read(files_, "/certificate.pem", "/key.pem");
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ((*read)->valid_until(), Micros(4'733'510'400'000'000));  // 2120-01-01
}

TEST_F(TlsIdentityTest, TakesOneFileThatHoldsBoth) {
  Put("/both.pem", test::kKeyPem + test::kCertificatePem + test::kCertificatePem);
  const auto read = TlsIdentity::Read(files_, "/both.pem", "/both.pem");
  EXPECT_TRUE(read.has_value()) << read.error().message;
}

TEST_F(TlsIdentityTest, NamesAFileThatIsNotThere) {
  const auto read = TlsIdentity::Read(files_, "/none.pem", "/key.pem");
  ASSERT_FALSE(read.has_value());
  EXPECT_EQ(read.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(read.error().message, StartsWith("certificate_file /none.pem: "));
}

TEST_F(TlsIdentityTest, NamesTheKeyThatIsNotThere) {
  Put("/certificate.pem", test::kCertificatePem);
  const auto read = TlsIdentity::Read(files_, "/certificate.pem", "/none.pem");
  ASSERT_FALSE(read.has_value());
  EXPECT_THAT(read.error().message, StartsWith("key_file /none.pem: "));
}

TEST_F(TlsIdentityTest, RefusesAKeyInTheCertificatesPlace) {
  EXPECT_THAT(Refusal(test::kKeyPem, test::kKeyPem),
              StartsWith("certificate_file /certificate.pem: it holds no certificate in PEM"));
}

TEST_F(TlsIdentityTest, RefusesACertificateInTheKeysPlace) {
  EXPECT_THAT(Refusal(test::kCertificatePem, test::kCertificatePem),
              StartsWith("key_file /key.pem: it holds no private key in PEM"));
}

TEST_F(TlsIdentityTest, RefusesTheKeyOfAnotherCertificate) {
  EXPECT_EQ(Refusal(test::kCertificatePem, test::kOtherKeyPem),
            "key_file /key.pem: it is not the key of the certificate in /certificate.pem");
}

TEST_F(TlsIdentityTest, AsksNobodyForAPassphrase) {
  EXPECT_EQ(Refusal(test::kCertificatePem, test::kLockedKeyPem),
            "key_file /key.pem: the key has a passphrase; one without is needed");
}

TEST_F(TlsIdentityTest, RefusesAChainThatIsCutShort) {
  const std::string half = test::kCertificatePem.substr(0, test::kCertificatePem.size() / 2);
  EXPECT_THAT(Refusal(test::kCertificatePem + half, test::kKeyPem),
              HasSubstr("a certificate behind the first: "));
}

}  // namespace
}  // namespace tidemark::io

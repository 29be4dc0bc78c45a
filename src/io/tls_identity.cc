#include "io/tls_identity.h"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>

#include <ctime>

#include "base/check.h"

namespace tidemark::io {

namespace {

constexpr std::int64_t kFileBytesMax = 1 << 20;

struct Free {
  void operator()(BIO* bio) const { BIO_free(bio); }

  void operator()(X509* certificate) const { X509_free(certificate); }

  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};

using Certificate = std::unique_ptr<X509, Free>;
using Key = std::unique_ptr<EVP_PKEY, Free>;

std::unexpected<Error> Refuse(const char* what, const std::string& path, std::string_view why) {
  return Fail(ErrorCode::kInvalidArgument, fmt::format("{} {}: {}", what, path, why));
}

// Why OpenSSL's last call failed; its queue of errors is empty afterwards.
std::string Reason() {
  const char* reason = ERR_reason_error_string(ERR_peek_last_error());
  ERR_clear_error();
  return reason == nullptr ? "OpenSSL refuses it" : reason;
}

Result<std::string> ReadPem(FileSystem& files, const char* what, const std::string& path) {
  auto text = files.Read(path, 0, kFileBytesMax);
  if (!text) return Refuse(what, path, text.error().message);
  return text;
}

std::unique_ptr<BIO, Free> Over(const std::string& pem) {
  return std::unique_ptr<BIO, Free>(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
}

Certificate NextCertificate(BIO& bio) {
  return Certificate(PEM_read_bio_X509(&bio, nullptr, nullptr, nullptr));
}

// In the place of a question at the terminal.
int NoPassphrase(char*, int, int, void* asked) {
  *static_cast<bool*>(asked) = true;
  return -1;
}

Micros EndOf(const X509& certificate) {
  std::tm end{};
  TIDEMARK_CHECK(ASN1_TIME_to_tm(X509_get0_notAfter(&certificate), &end) == 1, "notAfter");
  return Micros(timegm(&end) * std::int64_t{1'000'000});
}

}  // namespace

TlsIdentity::TlsIdentity() : context_(SSL_CTX_new(TLS_server_method())) {
  TIDEMARK_CHECK(context_ != nullptr, "SSL_CTX_new: {}", Reason());
  SSL_CTX_set_min_proto_version(context_, TLS1_2_VERSION);
  SSL_CTX_set_options(context_, SSL_OP_NO_RENEGOTIATION);
}

TlsIdentity::~TlsIdentity() { SSL_CTX_free(context_); }

Result<std::shared_ptr<const TlsIdentity>> TlsIdentity::Read(FileSystem& files,
                                                             const std::string& certificate_file,
                                                             const std::string& key_file) {
  std::shared_ptr<TlsIdentity> identity(new TlsIdentity);
  TIDEMARK_TRY_VOID(identity->ReadCertificates(files, certificate_file));
  TIDEMARK_TRY_VOID(identity->ReadKey(files, key_file, certificate_file));
  return identity;
}

Status TlsIdentity::ReadCertificates(FileSystem& files, const std::string& path) {
  constexpr char kWhat[] = "certificate_file";
  TIDEMARK_TRY(const auto pem, ReadPem(files, kWhat, path));
  const auto bio = Over(pem);
  ERR_clear_error();
  const Certificate own = NextCertificate(*bio);
  if (!own) return Refuse(kWhat, path, "it holds no certificate in PEM: " + Reason());
  if (SSL_CTX_use_certificate(context_, own.get()) != 1) return Refuse(kWhat, path, Reason());
  valid_until_ = EndOf(*own);
  while (const Certificate next = NextCertificate(*bio)) {
    if (SSL_CTX_add1_chain_cert(context_, next.get()) != 1) return Refuse(kWhat, path, Reason());
  }
  const bool at_end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  const std::string reason = Reason();
  if (!at_end) return Refuse(kWhat, path, "a certificate behind the first: " + reason);
  return {};
}

Status TlsIdentity::ReadKey(FileSystem& files,
                            const std::string& path,
                            const std::string& certificate_path) {
  constexpr char kWhat[] = "key_file";
  TIDEMARK_TRY(const auto pem, ReadPem(files, kWhat, path));
  bool asked = false;
  ERR_clear_error();
  const Key key(PEM_read_bio_PrivateKey(Over(pem).get(), nullptr, NoPassphrase, &asked));
  const std::string reason = Reason();
  if (asked) return Refuse(kWhat, path, "the key has a passphrase; one without is needed");
  if (!key) return Refuse(kWhat, path, "it holds no private key in PEM: " + reason);
  if (X509_check_private_key(SSL_CTX_get0_certificate(context_), key.get()) != 1) {
    ERR_clear_error();
    return Refuse(kWhat, path, "it is not the key of the certificate in " + certificate_path);
  }
  if (SSL_CTX_use_PrivateKey(context_, key.get()) != 1) return Refuse(kWhat, path, Reason());
  return {};
}

}  // namespace tidemark::io

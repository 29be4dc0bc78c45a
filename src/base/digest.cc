#include "base/digest.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "base/check.h"

namespace tidemark {

namespace {

struct FreeContext {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};

template <typename Digest>
Digest DigestOf(std::string_view bytes, const EVP_MD* algorithm) {
  Digest digest;
  TIDEMARK_CHECK(
      EVP_Digest(bytes.data(), bytes.size(), digest.data(), nullptr, algorithm, nullptr) == 1);
  return digest;
}

std::string_view AsText(const std::uint8_t* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

}  // namespace

struct Sha256::Context {
  std::unique_ptr<EVP_MD_CTX, FreeContext> evp{EVP_MD_CTX_new()};
};

Sha256::Sha256() : context_(std::make_unique<Context>()) {
  TIDEMARK_CHECK(EVP_DigestInit_ex(context_->evp.get(), EVP_sha256(), nullptr) == 1);
}

Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

void Sha256::Update(std::string_view bytes) {
  TIDEMARK_CHECK(EVP_DigestUpdate(context_->evp.get(), bytes.data(), bytes.size()) == 1);
}

Sha256Digest Sha256::Finish() {
  Sha256Digest digest;
  TIDEMARK_CHECK(EVP_DigestFinal_ex(context_->evp.get(), digest.data(), nullptr) == 1);
  return digest;
}

Sha256Digest Sha256Of(std::string_view bytes) {
  return DigestOf<Sha256Digest>(bytes, EVP_sha256());
}

Md5Digest Md5Of(std::string_view bytes) { return DigestOf<Md5Digest>(bytes, EVP_md5()); }

Sha256Digest HmacSha256(std::string_view key, std::string_view bytes) {
  Sha256Digest digest;
  const auto* text = reinterpret_cast<const unsigned char*>(bytes.data());
  TIDEMARK_CHECK(HMAC(EVP_sha256(),
                      key.data(),
                      static_cast<int>(key.size()),
                      text,
                      bytes.size(),
                      digest.data(),
                      nullptr) != nullptr);
  return digest;
}

std::string ToHex(std::string_view bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  hex.reserve(2 * bytes.size());
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    hex.push_back(kDigits[byte >> 4]);
    hex.push_back(kDigits[byte & 0xf]);
  }
  return hex;
}

std::string ToHex(const Sha256Digest& digest) {
  return ToHex(AsText(digest.data(), digest.size()));
}

std::string ToHex(const Md5Digest& digest) { return ToHex(AsText(digest.data(), digest.size())); }

std::string ToBase64(std::string_view bytes) {
  // EVP_EncodeBlock also writes a final NUL.
  std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');
  const int length = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                                     reinterpret_cast<const unsigned char*>(bytes.data()),
                                     static_cast<int>(bytes.size()));
  text.resize(static_cast<std::size_t>(length));
  return text;
}

}  // namespace tidemark

#pragma once
// SHA-256 and MD5, whole and incremental (OpenSSL underneath), and their text forms.

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace tidemark {

using Sha256Digest = std::array<std::uint8_t, 32>;
using Md5Digest = std::array<std::uint8_t, 16>;

// Bytes in, one digest out. Not thread-safe.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;

  void Update(std::string_view bytes);
  // Ends the digest; the object is spent.
  Sha256Digest Finish();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

Sha256Digest Sha256Of(std::string_view bytes);
Md5Digest Md5Of(std::string_view bytes);
Sha256Digest HmacSha256(std::string_view key, std::string_view bytes);

// Lower-case hex, two digits a byte.
std::string ToHex(std::string_view bytes);
std::string ToHex(const Sha256Digest& digest);
std::string ToHex(const Md5Digest& digest);
// Standard base64 with padding.
std::string ToBase64(std::string_view bytes);

}  // namespace tidemark

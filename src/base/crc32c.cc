#include "base/crc32c.h"

#include <array>
#include <bit>
#include <cstring>

#if defined(__x86_64__)
#include <nmmintrin.h>
#elif defined(__ARM_FEATURE_CRC32)
#include <arm_acle.h>
#endif

namespace tidemark {

namespace {

static_assert(std::endian::native == std::endian::little, "the words below are loaded as they are");

constexpr std::uint32_t kPolynomial = 0x82F63B78;  // reflected

constexpr auto kTable = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? kPolynomial : 0);
    table[byte] = crc;
  }
  return table;
}();

// `bytes` holds eight at least.
std::uint64_t LoadWord(std::string_view bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes.data(), sizeof word);
  return word;
}

#if defined(__x86_64__)

bool HasInstruction() { return __builtin_cpu_supports("sse4.2") != 0; }

__attribute__((target("sse4.2"))) std::uint32_t ByInstruction(std::string_view bytes,
                                                              std::uint32_t before_crc) {
  std::uint64_t crc = ~before_crc;
  while (bytes.size() >= 8) {
    crc = _mm_crc32_u64(crc, LoadWord(bytes));
    bytes.remove_prefix(8);
  }
  auto rest = static_cast<std::uint32_t>(crc);
  for (const char c : bytes) rest = _mm_crc32_u8(rest, static_cast<unsigned char>(c));
  return ~rest;
}

#elif defined(__ARM_FEATURE_CRC32)

bool HasInstruction() { return true; }

std::uint32_t ByInstruction(std::string_view bytes, std::uint32_t before_crc) {
  std::uint32_t crc = ~before_crc;
  while (bytes.size() >= 8) {
    crc = __crc32cd(crc, LoadWord(bytes));
    bytes.remove_prefix(8);
  }
  for (const char c : bytes) crc = __crc32cb(crc, static_cast<std::uint8_t>(c));
  return ~crc;
}

#else

bool HasInstruction() { return false; }

std::uint32_t ByInstruction(std::string_view bytes, std::uint32_t before_crc) {
  return internal::PortableCrc32c(bytes, before_crc);
}

#endif

}  // namespace

std::uint32_t internal::PortableCrc32c(std::string_view bytes, std::uint32_t before_crc) {
  std::uint32_t crc = ~before_crc;
  for (const char c : bytes)
    crc = kTable[(crc ^ static_cast<unsigned char>(c)) & 0xff] ^ (crc >> 8);
  return ~crc;
}

std::uint32_t Crc32c(std::string_view bytes, std::uint32_t before_crc) {
  return HasInstruction() ? ByInstruction(bytes, before_crc)
                          : internal::PortableCrc32c(bytes, before_crc);
}

}  // namespace tidemark

#include "base/crc32c.h"

#include <array>
#include <bit>
#include <cstring>

#if defined(__x86_64__)
#include <nmmintrin.h>
#include <wmmintrin.h>
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

template <typename Word>
Word Load(const char* at) {
  Word word;
  std::memcpy(&word, at, sizeof word);
  return word;
}

#if defined(__x86_64__)

bool HasInstruction() {
  return __builtin_cpu_supports("sse4.2") != 0 && __builtin_cpu_supports("pclmul") != 0;
}

// The instruction takes three cycles and may begin each cycle: three lanes of so many bytes go side
// by side.
constexpr std::size_t kLaneBytes = 64;

// x^(8 * bytes - 33) modulo the polynomial, reflected: the factor that moves a checksum over so
// many bytes (Gopal et al., "Fast CRC Computation for iSCSI Polynomial Using CRC32 Instruction",
// Intel 2011). The product is one bit short of a word, and the instruction that reduces it
// multiplies by x^32: together x^33.
constexpr std::uint32_t FactorOver(std::size_t bytes) {
  std::uint32_t factor = 0x80000000;  // 1
  for (std::size_t i = 0; i < 8 * bytes - 33; ++i) {
    factor = (factor >> 1) ^ ((factor & 1) != 0 ? kPolynomial : 0);
  }
  return factor;
}

#define TIDEMARK_CRC_TARGET __attribute__((target("sse4.2,pclmul")))

// The checksum `crc` of what came before so many bytes, as a part of the checksum behind them.
template <std::size_t kBytes>
TIDEMARK_CRC_TARGET std::uint64_t MovedOver(std::uint64_t crc) {
  constexpr std::uint32_t kFactor = FactorOver(kBytes);
  const __m128i product = _mm_clmulepi64_si128(_mm_cvtsi64_si128(static_cast<long long>(crc)),
                                               _mm_cvtsi32_si128(std::bit_cast<int>(kFactor)),
                                               0);
  return _mm_crc32_u64(0, static_cast<std::uint64_t>(_mm_cvtsi128_si64(product)));
}

TIDEMARK_CRC_TARGET std::uint64_t ByThreeLanes(std::string_view& bytes, std::uint64_t crc) {
  while (bytes.size() >= 3 * kLaneBytes) {
    std::uint64_t middle = 0;
    std::uint64_t last = 0;
    const char* const end = bytes.data() + kLaneBytes;
    for (const char* at = bytes.data(); at < end; at += 8) {
      crc = _mm_crc32_u64(crc, Load<std::uint64_t>(at));
      middle = _mm_crc32_u64(middle, Load<std::uint64_t>(at + kLaneBytes));
      last = _mm_crc32_u64(last, Load<std::uint64_t>(at + 2 * kLaneBytes));
    }
    crc = MovedOver<2 * kLaneBytes>(crc) ^ MovedOver<kLaneBytes>(middle) ^ last;
    bytes.remove_prefix(3 * kLaneBytes);
  }
  return crc;
}

TIDEMARK_CRC_TARGET std::uint32_t ByInstruction(std::string_view bytes, std::uint32_t before_crc) {
  std::uint64_t crc = ByThreeLanes(bytes, ~before_crc);
  const char* at = bytes.data();
  const char* const end = at + bytes.size();
  for (; end - at >= 8; at += 8) crc = _mm_crc32_u64(crc, Load<std::uint64_t>(at));
  auto rest = static_cast<std::uint32_t>(crc);
  if (end - at >= 4) {
    rest = _mm_crc32_u32(rest, Load<std::uint32_t>(at));
    at += 4;
  }
  for (; at < end; ++at) rest = _mm_crc32_u8(rest, static_cast<unsigned char>(*at));
  return ~rest;
}

#elif defined(__ARM_FEATURE_CRC32)

bool HasInstruction() { return true; }

std::uint32_t ByInstruction(std::string_view bytes, std::uint32_t before_crc) {
  std::uint32_t crc = ~before_crc;
  while (bytes.size() >= 8) {
    crc = __crc32cd(crc, Load<std::uint64_t>(bytes.data()));
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

#pragma once
// Eight bytes at a time, as one word: finding and converting without a branch for each byte. Pure.

#include <bit>
#include <cstdint>
#include <cstring>

namespace tidemark::edge::words {

static_assert(std::endian::native == std::endian::little, "the first byte is the lowest");

inline constexpr std::size_t kBytes = sizeof(std::uint64_t);
inline constexpr std::uint64_t kOnes = 0x0101010101010101;
inline constexpr std::uint64_t kHighs = 0x80 * kOnes;

inline std::uint64_t Load(const char* at) {
  std::uint64_t word = 0;
  std::memcpy(&word, at, sizeof word);
  return word;
}

// The high bit of each byte that is no digit.
constexpr std::uint64_t MaskOfOthersThanDigits(std::uint64_t word) {
  const std::uint64_t digits = word ^ ('0' * kOnes);
  return (((digits & ~kHighs) + (0x80 - 10) * kOnes) | digits) & kHighs;
}

// The index of the first byte of a mask; kBytes when there is none.
constexpr std::size_t First(std::uint64_t mask) {
  return static_cast<std::size_t>(std::countr_zero(mask)) / 8;
}

// The first `count` bytes, the others 0.
constexpr std::uint64_t Head(std::uint64_t word, std::size_t count) {
  return count == 0 ? 0 : word << (8 * (kBytes - count)) >> (8 * (kBytes - count));
}

// The value of the first `count` bytes (1 to 8), which are digits.
constexpr std::uint64_t DigitsOf(std::uint64_t word, std::size_t count) {
  std::uint64_t value = (word ^ ('0' * kOnes)) << (8 * (kBytes - count));
  // Neighbours are joined to numbers of two digits, these to numbers of four, these to one of
  // eight.
  value = value * 10 + (value >> 8);
  constexpr std::uint64_t kPairs = 0x000000FF000000FF;
  return ((value & kPairs) * (100 + (std::uint64_t{1'000'000} << 32)) +
          (value >> 16 & kPairs) * (1 + (std::uint64_t{10'000} << 32))) >>
         32;
}

}  // namespace tidemark::edge::words

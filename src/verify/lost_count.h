#pragma once
// Counting with numbers that a stranger's manifest names: sums stop at the end of int64
// instead of wrapping. Pure.

#include <cstdint>

#include "format/window.h"

namespace tidemark::verify {

constexpr std::int64_t SaturatingAdd(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b < 0 ? INT64_MIN : INT64_MAX;
}

// What a writer can mean: no offset is below 0, and the range has at least one.
inline bool IsSound(const format::LostRange& range) {
  return Offset(0) <= range.from && range.from <= range.to;
}

// The offsets of a sound range, at most INT64_MAX; 0 of another.
inline std::int64_t CountOf(const format::LostRange& range) {
  return IsSound(range) ? SaturatingAdd(range.to - range.from, 1) : 0;
}

}  // namespace tidemark::verify

#pragma once
// Numbers read from their JSON text, exactly or not at all: no detour over a double. Pure.

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <type_traits>

namespace tidemark::edge {

using Int128 = __int128;

// The text has the form RFC 8259 gives numbers.
bool IsJsonNumber(std::string_view text);

// The functions below take what IsJsonNumber accepts.

// The value times 10^scale, when that is an integer of at most 38 digits.
std::optional<Int128> ScaledInteger(std::string_view number, int scale);

// The greatest integer at or below the value times 10^scale, and whether it is just that value;
// nullopt above 38 digits.
struct Floored {
  Int128 value = 0;
  bool exact = true;
};

std::optional<Floored> FlooredInteger(std::string_view number, int scale);

// An integral number in [min, max].
std::optional<std::int64_t> SignedInteger(std::string_view number,
                                          std::int64_t min,
                                          std::int64_t max);
std::optional<std::uint64_t> UnsignedInteger(std::string_view number, std::uint64_t max);

// Powers of ten that a float or a double holds exactly, and up to where it holds every integer: the
// quotient of two such is rounded once.
template <typename Float>
inline constexpr auto kExactPowers = [] {
  std::array<Float, std::is_same_v<Float, float> ? 11 : 23> powers{};
  Float power = 1;
  for (Float& each : powers) {
    each = power;
    power *= 10;
  }
  return powers;
}();

template <typename Float>
inline constexpr std::uint64_t kExactIntegers =
    std::uint64_t{1} << std::numeric_limits<Float>::digits;

// Rounded to nearest, once; nullopt above the largest finite value.
std::optional<float> NearestFloat(std::string_view number);
std::optional<double> NearestDouble(std::string_view number);

}  // namespace tidemark::edge

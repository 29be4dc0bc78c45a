#pragma once
// Points in time and dates as records write them. Pure.

#include <cstdint>
#include <optional>
#include <string_view>

#include "edge/dataset/dataset_spec.h"
#include "edge/dataset/json_number.h"

namespace tidemark::edge {

// Nanoseconds since the Unix epoch, rounded down.
struct Instant {
  Int128 nanos = 0;
  bool exact = true;  // false: there were digits beyond nanoseconds
};

// What most times are: `2026-11-30T10:00:00.5Z`, with at most eight digits behind a point or none,
// from 1678 to 2261; as nanoseconds since the epoch. nullopt: it is another, or none.
std::optional<std::int64_t> PlainUtcNanos(std::string_view text);

// RFC 3339: `2026-11-30T10:00:00.5Z`, an offset in place of the Z; t, z in lower case and a blank
// for the T are taken too. Second 60 is not. Any number of fraction digits.
std::optional<Instant> ParseRfc3339(std::string_view text);

// A JSON number in one of the epoch formats.
std::optional<Instant> ParseEpoch(std::string_view number, TimeFormat format);

// `YYYY-MM-DD` as days since 1970-01-01.
std::optional<std::int32_t> ParseDate(std::string_view text);

inline constexpr std::int64_t kNanosPerMicro = 1000;

inline std::int64_t FloorToMicros(std::int64_t nanos) {
  return nanos / kNanosPerMicro - (nanos % kNanosPerMicro < 0 ? 1 : 0);
}

// The instant in whole units of `unit_nanos` nanoseconds, rounded down; `exact` becomes false where
// digits were lost. nullopt beyond 64 bits.
std::optional<std::int64_t> InUnits(const Instant& instant, std::int64_t unit_nanos, bool& exact);

}  // namespace tidemark::edge

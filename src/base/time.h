#pragma once
// Broker time: microseconds since the Unix epoch, UTC. Pure arithmetic and text, no clock
// (io/clock.h reads one). Text form and golden values: queen-interface 1.0 and 17.2.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/strong_int.h"

namespace tidemark {

// A point in time; differences are plain microseconds.
using Micros = StrongInt<struct MicrosTag>;

inline constexpr std::int64_t kMicrosPerMilli = 1'000;
inline constexpr std::int64_t kMicrosPerSecond = 1'000'000;
inline constexpr std::int64_t kMicrosPerHour = 3'600 * kMicrosPerSecond;
inline constexpr std::int64_t kMicrosPerDay = 24 * kMicrosPerHour;

// "Before everything": never a real timestamp, compares below all of them.
inline constexpr Micros kMinusInfinity{INT64_MIN};
// "After everything": compares above all real timestamps.
inline constexpr Micros kPlusInfinity{INT64_MAX};

// `YYYY-MM-DDTHH:MM:SS.ffffffZ`, always six fraction digits. Years 0000 to 9999.
std::string FormatIso(Micros t);

// Appends FormatIso(t) to `out` without a temporary (27 bytes): the hot path of the JSONL encoder.
void AppendIso(Micros t, std::string& out);

// `YYYY-MM-DDTHH:MM:SS[.f{1,6}]Z`. kInvalidArgument for anything else: other zones, a blank for the
// T, seven digits, month 13, day 30 of February, second 60.
Result<Micros> ParseIso(std::string_view text);

// The largest multiple of `unit` (> 0) at or below `t`; correct below the epoch.
Micros FloorTo(Micros t, std::int64_t unit);

// The smallest multiple of `unit` strictly above `t`.
Micros NextMultiple(Micros t, std::int64_t unit);

struct UtcDateHour {
  int year, month, day, hour;
};

// The UTC calendar day and hour that hold `t`.
UtcDateHour DateHourOf(Micros t);

}  // namespace tidemark

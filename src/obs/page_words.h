#pragma once
// Numbers, times and names as the status pages write them. Pure.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/time.h"

namespace tidemark::obs {

// With &, <, >, " and ' as entities; bytes that are no UTF-8, and control characters, as U+FFFD.
std::string HtmlText(std::string_view text);

// "918 442": groups of three, apart by a no-break space.
std::string CountWords(std::int64_t number);

// "0 B", "1.5 KiB", "42.1 MiB".
std::string SizeWords(double bytes);

// "0 s", "59 s", "5 min 3 s", "2 h 5 min", "3 d 4 h"; below zero is "0 s".
std::string SpanWords(double seconds);

// "2026-09-04 10:05:00", UTC; "never" for kMinusInfinity.
std::string TimeWords(Micros t);

}  // namespace tidemark::obs

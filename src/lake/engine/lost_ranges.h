#pragma once
// Arithmetic on sets of lost offsets. Pure.

#include <cstdint>
#include <string_view>
#include <vector>

#include "format/window.h"

namespace tidemark::lake {

using LostRanges = std::vector<format::LostRange>;

// The same offsets, sorted by (partition bytes, offset), each once, touching ranges joined.
LostRanges Normalized(LostRanges ranges);

// The offsets of `ranges` that are in no range of `taken`, normalized.
LostRanges Without(const LostRanges& ranges, const LostRanges& taken);

// How many offsets the ranges hold; each range counts by itself.
std::int64_t OffsetsIn(const LostRanges& ranges);

// Adds offsets `from` .. `to` of a partition; what continues the last range lengthens it.
void AppendLost(LostRanges& ranges, std::string_view partition, Offset from, Offset to);

// The offsets of both, normalized.
LostRanges Union(LostRanges a, const LostRanges& b);

}  // namespace tidemark::lake

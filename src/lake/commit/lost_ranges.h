#pragma once
// Arithmetic on sets of lost offsets. Pure.

#include <vector>

#include "format/window.h"

namespace tidemark::lake {

using LostRanges = std::vector<format::LostRange>;

// The same offsets, sorted by (partition bytes, offset), each once, touching ranges joined.
LostRanges Normalized(LostRanges ranges);

// The offsets of `ranges` that are in no range of `taken`, normalized.
LostRanges Without(const LostRanges& ranges, const LostRanges& taken);

// The offsets of both, normalized.
LostRanges Union(LostRanges a, const LostRanges& b);

}  // namespace tidemark::lake

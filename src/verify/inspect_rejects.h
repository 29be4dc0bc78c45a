#pragma once
// What a sink's log of rejects holds (docs/formats/rejects.md), in words. Pure.

#include <string>
#include <string_view>

#include "base/result.h"

namespace tidemark::verify {

// Counts by data set and reason, then at most `rows_max` rejects. kCorruption: no such log. Bytes
// behind the last whole entry are named: a torn end, or damage.
Result<std::string> InspectRejects(std::string_view bytes, std::int64_t rows_max);

}  // namespace tidemark::verify

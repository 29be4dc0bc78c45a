#pragma once
// The day on which the tests of the lake live.

#include <string>

#include "base/time.h"

namespace tidemark::testing {

// 2026-09-04T<text>Z, e.g. At("10:03:41.5").
inline Micros At(const std::string& text) { return *ParseIso("2026-09-04T" + text + "Z"); }

}  // namespace tidemark::testing

#pragma once
// A report in words, for a terminal. Pure.

#include <string>

#include "verify/report.h"

namespace tidemark::verify {

// What was read, what was lost, each finding in a line, and a verdict as the last line. Ends with a
// line break.
std::string RenderText(const Report& report);

}  // namespace tidemark::verify

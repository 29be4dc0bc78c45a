#pragma once
// A window: all records of a queue whose segment timestamp lies in [start, end) (contract: "The
// window commit").

#include <string>

#include "base/strong_int.h"
#include "base/time.h"

namespace tidemark::format {

// Number of a window; the first is 1, 0 means "nothing committed".
using WindowNumber = StrongInt<struct WindowNumberTag>;

struct Window {
  WindowNumber k;
  Micros start;
  Micros end;

  bool operator==(const Window&) const = default;
};

// Offsets that retention took before they were read; both ends inclusive.
struct LostRange {
  std::string partition;
  Offset from;
  Offset to;

  bool operator==(const LostRange&) const = default;
};

}  // namespace tidemark::format

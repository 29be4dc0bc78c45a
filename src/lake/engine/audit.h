#pragma once
// What an engine asks of the windows since its checkpoint before it tells a loss (decision 8).

#include <string>

#include "base/strong_int.h"
#include "format/window.h"

namespace tidemark::lake {

// Offsets `from` .. `to` - 1 of the partition seem lost; what lies from `to` on is in no window.
struct AuditQuestion {
  std::string partition;
  Offset from;
  Offset to;
};

// Everything of the partition below `next` (at most the question's `to`) is in a window, as a row
// or as lost.
struct AuditAnswer {
  std::string partition;
  Offset next;
  // Those windows hold what this partition cannot have had: the checkpoint is of a predecessor, and
  // `next` may be below `from`.
  bool recreated = false;
};

}  // namespace tidemark::lake

#pragma once
// Where a queue with nothing committed begins.

#include "base/time.h"

namespace tidemark::lake {

// Counts only where nothing is committed (contract: QUEEN_S3_START).
struct Start {
  enum class Kind { kLatest, kEarliest, kAt } kind = Kind::kLatest;
  Micros at;  // kAt [tidemark]: the first window begins here
};

}  // namespace tidemark::lake

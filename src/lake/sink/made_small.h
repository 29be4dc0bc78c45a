#pragma once
// Whether a fetch answer waits for its window as it came, or packed (docs/decisions/0007).

#include "lake/commit/lake_world.h"
#include "lake/engine/memory_budget.h"
#include "queen/types.h"

namespace tidemark::lake {

// The answers of this process hold more than `above_bytes`: memory is worth more than time.
inline bool IsCrowded(const MemoryBudget& budget, std::int64_t above_bytes) {
  return budget.answers() > above_bytes;
}

// The answer; packed, on the pool, when it is `crowded`. Loop thread.
io::Task<queen::FetchAnswer> MadeSmall(LakeWorld world, bool crowded, queen::FetchAnswer answer);

}  // namespace tidemark::lake

#pragma once
// Whether a fetch answer waits for its window as it came, or packed (docs/decisions/0007).

#include "lake/commit/lake_world.h"
#include "queen/types.h"

namespace tidemark::lake {

// The answer; packed, on the pool, when it is `crowded`. Loop thread.
io::Task<queen::FetchAnswer> MadeSmall(LakeWorld world, bool crowded, queen::FetchAnswer answer);

}  // namespace tidemark::lake

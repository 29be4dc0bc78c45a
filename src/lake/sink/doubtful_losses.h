#pragma once
// Losses that a window read from the log seems to have, and that windows since an old checkpoint
// tell or shipped (decision 8).

#include "format/window.h"
#include "lake/commit/documents.h"
#include "lake/engine/memory_budget.h"
#include "lake/engine/plan.h"
#include "lake/sink/log_source.h"

namespace tidemark::lake {

// Takes them out of `count`, the reading of `plan`. `begun_at`: the window of the checkpoint.
// Repeats passing failures without bound.
io::Task<Status> ForgetShipped(CommitContext& context,
                               const Documents& documents,
                               format::WindowNumber begun_at,
                               MemoryBudget& budget,
                               const Plan& plan,
                               LogSource::Count& count);

}  // namespace tidemark::lake

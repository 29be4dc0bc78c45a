#pragma once
// How far partitions had come in the windows after a checkpoint: tells a loss from an offset that
// was shipped and deleted since (decision 8), and a partition from a predecessor of its name.

#include <vector>

#include "lake/commit/documents.h"
#include "lake/engine/audit.h"
#include "lake/engine/memory_budget.h"

namespace tidemark::lake {

// Answers to those of `questions` (one a partition) whose partition is in the committed windows
// after `after`, as a row or as lost. Within a partition offsets and timestamps rise together and
// every window tells what it passed over, so everything below the last offset there is in one of
// these windows, or in an earlier one. Reads from the newest window back, until all partitions are
// found; an object at a time is in memory. What cannot be read is a warning, and its offsets count
// as not shipped. Repeats passing failures without bound.
io::Task<Result<std::vector<AuditAnswer>>> ShippedSince(CommitContext& context,
                                                        const Documents& documents,
                                                        format::WindowNumber after,
                                                        std::vector<AuditQuestion> questions,
                                                        MemoryBudget& budget);

}  // namespace tidemark::lake

#pragma once
// Checkpoints in the bucket: a cache that makes a restart quick, never the commit truth (contract:
// "The checkpoint"; queen-interface 6.2, decision 11; docs/formats/checkpoint.md).

#include <optional>

#include "format/checkpoint.h"
#include "lake/commit/commit_context.h"
#include "lake/commit/documents.h"

namespace tidemark::lake {

// PUTs the checkpoint of a committed window (or of window 0, before the first intent) in at most
// `attempts`, then deletes all but the newest two at or below the window that `documents` name as
// committed by then, best effort. An error costs the next restart some reading, no more.
io::Task<Status> WriteCheckpoint(CommitContext& context,
                                 const Documents& documents,
                                 format::Checkpoint checkpoint,
                                 int attempts);

// The newest readable one at or below `committed`: one above names positions past the commit truth,
// and reading from it would skip records. nullopt: none. A damaged one is a warning and the next
// older is taken. Repeats passing failures without bound.
io::Task<Result<std::optional<format::Checkpoint>>> LoadCheckpoint(CommitContext& context,
                                                                   format::WindowNumber committed);

}  // namespace tidemark::lake

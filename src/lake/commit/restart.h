#pragma once
// Where a sink stands when it begins, found from the broker's documents and the bucket alone
// (queen-interface 5.2).

#include <optional>

#include "format/checkpoint.h"
#include "lake/commit/documents.h"

namespace tidemark::lake {

struct RestartPoint {
  Documents documents;
  // documents.redo_pending(): its window must be redone before anything else; its lost ranges are
  // all in documents.intent->lost, read from their sidecar where there is one.
  bool redo = false;
  std::optional<format::Checkpoint> checkpoint;
};

// With the lease claimed: reads the documents, makes sure that the bucket fits them, finds the
// checkpoint. Repeats passing failures without bound, but while no window is pending only until a
// drain, which ends it with kCancelled. Warns of a prefix that changed. kCorruption: the committed
// document, or the intent's sidecar, cannot be read, or broker and bucket are out of step: the
// message says what was found; nothing was written and the queue must stop.
io::Task<Result<RestartPoint>> Restart(CommitContext& context);

}  // namespace tidemark::lake

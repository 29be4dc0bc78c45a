#pragma once
// `tidemark lake --prepare-rollback` (decision 1): queen-s3 1.5.0 reads times in the pointers as
// integers only; what Tidemark writes would look to it like a queue that never committed.

#include "lake/commit/documents.h"

namespace tidemark::lake {

// Rewrites both pointers, fenced, as queen-s3 1.5.0 writes them. A pending intent must have been
// redone before (kInvalidArgument); other errors as WriteIntent. Run it last: the next commit
// writes the newer form again.
io::Task<Status> PrepareRollback(CommitContext& context, Documents& documents);

}  // namespace tidemark::lake

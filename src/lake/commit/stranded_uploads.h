#pragma once
// Multipart uploads that a dead process began: the store bills their parts and shows them to no
// reader, and not every store has a rule that removes them (complaint C44).

#include "lake/commit/commit_context.h"

namespace tidemark::lake {

// Aborts the uploads of this queue's data objects below `prefix`. With the lease claimed and
// nothing of ours under way: a former owner that is still at one has lost its lease, and what it
// sends next fails. Ends where the lease is not certainly ours any more. Best effort, one attempt:
// what cannot be listed (a policy may forbid it) or aborted is warned of and left to the next start
// or to a lifecycle rule of the bucket.
io::Task<void> AbortStrandedUploads(CommitContext& context, std::string prefix);

}  // namespace tidemark::lake

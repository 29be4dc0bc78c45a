#pragma once
// Small objects beside the data: manifest, lost sidecar. And the gate every write to the bucket
// goes through.

#include <string>

#include "lake/commit/commit_context.h"

namespace tidemark::lake {

// Waits until the lease is certainly ours, repeating passing failures without bound: a write to the
// bucket starts only then, because the lease fences the broker's documents, not the bucket. Errors
// as Lease::PutFenced.
io::Task<Status> AwaitLease(CommitContext& context);

// PUTs one small object under the gate, repeating without bound.
io::Task<Status> PutSidecar(CommitContext& context,
                            std::string key,
                            std::string content_type,
                            std::string body);

}  // namespace tidemark::lake

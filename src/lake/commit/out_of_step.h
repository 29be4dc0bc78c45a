#pragma once
// Whether bucket and broker tell the same story before the first intent: a broker that was reset or
// restored, or a second sink on the prefix, would make windows that are in the bucket already under
// other names (decision "Broker and bucket out of step").

#include <string>

#include "lake/commit/documents.h"

namespace tidemark::lake {

// One sentence about the first thing found that `documents` do not explain; empty when all is well.
// Looks at the manifests above the committed window, at its own, and at the data keys above it in
// the folder where the next window begins. Repeats passing failures without bound.
io::Task<Result<std::string>> FindOutOfStep(CommitContext& context, const Documents& documents);

}  // namespace tidemark::lake

#pragma once
// QUEEN_S3_PREFIX was changed between two runs: nothing is lost, but each prefix then holds a part
// of the queue's lake, and neither reads as a whole.

#include <string>

#include "lake/commit/documents.h"

namespace tidemark::lake {

// One sentence that names both prefixes; empty when the last window lies where the next one goes,
// or nothing is committed. Pure.
std::string DescribePrefixChange(const CommitOptions& options, const Documents& documents);

}  // namespace tidemark::lake

#pragma once
// POST /api/v1/partitions/changed: pages of a queue's partitions, with opaque cursors
// (queen-interface 1.2). Pure but for the catalog it reads.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "broker/catalog.h"
#include "broker/fetch_request.h"

namespace tidemark::broker {

// `n|<name>` without since, `t|<lastWriteAt in microseconds>|<name>` with it. kInvalidArgument: the
// other mode's, or none.
Result<DiscoveryCursor> ParseCursor(std::string_view text, bool with_since);
std::string RenderCursor(const ListedPartition& last, bool with_since);

// The answer's body. `safe_time` must have been taken before this is called: what the pages do not
// show must be stamped at or above it.
std::string RenderDiscovery(const Catalog& catalog,
                            const std::vector<DiscoveryEntry>& entries,
                            Micros safe_time);

}  // namespace tidemark::broker

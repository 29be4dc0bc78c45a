#pragma once
// POST /api/v1/partitions/changed and GET /api/v1/resources/queues: their answers
// (queen-interface 1.2, 1.4). Pure.

#include <string>
#include <vector>

#include "base/result.h"
#include "queen/types.h"

namespace tidemark::queen {

// kInternal when the body is unreadable, has no safeTime, or holds other queues than were asked
// for, in order.
Result<DiscoveryAnswer> DecodeDiscovery(std::string body, const std::vector<DiscoveryEntry>& asked);

// Names alone, in the broker's order; rows without one are dropped.
Result<std::vector<std::string>> DecodeQueueList(std::string body);

}  // namespace tidemark::queen

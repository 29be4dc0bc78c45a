#pragma once
// POST /api/v1/kv: the answers (queen-interface 1.3). Results are aligned by their own index; a
// missing, doubled or unasked one makes the body unreadable (kInternal). Pure.

#include <string>
#include <vector>

#include "base/result.h"
#include "queen/types.h"

namespace tidemark::queen {

// The rows that are there, in the broker's order. kInternal when a key is in neither `rows` nor
// `missing` (the read budget cut it): that must not pass for absent; or when a row is of another
// key, or of one that was answered before.
Result<std::vector<KvRow>> DecodeKvGetMany(std::string body, const std::vector<std::string>& keys);
// The rows of a getPrefix, as far as its limit lets them.
Result<std::vector<KvRow>> DecodeKvGetPrefix(std::string body);

// Of a batch of `asked` puts or deletes, none of them `required`; in the order they were asked.
Result<std::vector<KvResult>> DecodeKvEach(std::string body, std::size_t asked);
// Of one.
Result<KvResult> DecodeKvOne(std::string body);

// Of a batch of `puts` puts, all `required`. failed_index stays empty when the broker did not say
// it.
Result<KvBatchResult> DecodeKvBatch(std::string body, std::size_t puts);

}  // namespace tidemark::queen

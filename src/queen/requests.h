#pragma once
// The bodies of the calls to a Queen broker (queen-interface 1.1 to 1.3). Pure. KV operations are
// all in namespace `queen-s3`, so that a proxy counts a batch as the sink's own.

#include <string>
#include <vector>

#include "queen/types.h"

namespace tidemark::queen {

std::string EncodeFetch(const FetchRequest& request);

// All four keys always; null for no `since` and no `after`.
std::string EncodeDiscovery(const std::vector<DiscoveryEntry>& entries);

std::string EncodeKvGetMany(const std::vector<std::string>& keys);

// Values are spliced in as they are. `required`: a lost condition rolls the whole batch back.
std::string EncodeKvGetPrefix(const std::string& prefix);
std::string EncodeKvPuts(const std::vector<KvPut>& puts, bool required);

std::string EncodeKvDelete(const std::string& key, std::int64_t expect);

}  // namespace tidemark::queen

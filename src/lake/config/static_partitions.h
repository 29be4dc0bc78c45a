#pragma once
// QUEEN_S3_PARTITIONS, the static list of partitions. It is read, so that a mistake in it is named,
// and then refused at boot: who reads a static list never learns a safeTime (queen-interface 12).

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tidemark::lake {

// By queue: partition names and ranges `from..to`, as written.
using StaticPartitions = std::map<std::string, std::vector<std::string>>;

// `queue:item,item,queue2:item`, an item being a name or `from..to` (both inclusive, at most
// 1,000,000 names). kInvalidArgument says which part is wrong.
Result<StaticPartitions> ParseStaticPartitions(std::string_view text);

}  // namespace tidemark::lake

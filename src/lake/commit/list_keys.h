#pragma once
// Whole listings of a prefix.

#include <string>
#include <vector>

#include "lake/commit/commit_context.h"

namespace tidemark::lake {

// Every object whose key begins with `prefix` and is above `start_after`, ascending; repeats
// passing failures without bound. kInvalidArgument above a million keys.
io::Task<Result<std::vector<store::ObjectInfo>>> ListKeys(CommitContext& context,
                                                          std::string prefix,
                                                          std::string start_after);

}  // namespace tidemark::lake

#pragma once
// `tidemark lake --check`: what a start with this configuration would meet and do. Changes nothing
// but a row and an object of its own, which it deletes.

#include <string>

#include "lake/config/lake_config.h"

namespace tidemark::lake {

// Prints to stdout; returns kExitDrained, kExitBadConfiguration, kExitCannotListen or
// kExitUnreachable: broker or bucket cannot be used, or do not fit each other, for a queue.
// Blocking.
int RunLakeCheck(const LakeConfig& config,
                 const Environment& environment,
                 const std::string& version);

}  // namespace tidemark::lake

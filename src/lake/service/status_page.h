#pragma once
// The status page of a running lake: plain HTML without scripts, fit for a phone. Pure.

#include <string>

#include "lake/service/lake_status.h"

namespace tidemark::lake {

// A whole document in UTF-8. Queues that need a look come first, then by name.
std::string RenderStatusPage(const LakeStatus& lake);

}  // namespace tidemark::lake

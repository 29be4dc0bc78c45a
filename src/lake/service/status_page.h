#pragma once
// The status page of a running lake: plain HTML without scripts, fit for a phone. Pure.

#include <string>
#include <string_view>

#include "lake/service/lake_status.h"

namespace tidemark::lake {

// Nothing but the page's own style may act in it: names are somebody else's bytes.
inline constexpr std::string_view kStatusPagePolicy =
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

// A whole document in UTF-8. Queues that need a look come first, then by name.
std::string RenderStatusPage(const LakeStatus& lake);

}  // namespace tidemark::lake

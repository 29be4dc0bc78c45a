#include "io/failpoints.h"

#include <array>
#include <cstdlib>

namespace tidemark::io {

namespace {

constexpr std::array<std::pair<std::string_view, Failpoint>, 16> kSegmentFailpoints = {{
    {"before_close", Failpoint::kBeforeSegmentClose},
    {"after_close", Failpoint::kAfterSegmentClose},
    {"before_sync", Failpoint::kBeforeSegmentSync},
    {"after_sync", Failpoint::kAfterSegmentSync},
    {"before_rename", Failpoint::kBeforeSegmentRename},
    {"after_rename", Failpoint::kAfterSegmentRename},
    {"before_folders", Failpoint::kBeforeSegmentFolders},
    {"after_folders", Failpoint::kAfterSegmentFolders},
    {"before_finalized", Failpoint::kBeforeSegmentFinalized},
    {"after_finalized", Failpoint::kAfterSegmentFinalized},
    {"before_rejects", Failpoint::kBeforeSegmentRejects},
    {"after_rejects", Failpoint::kAfterSegmentRejects},
    {"before_cursor", Failpoint::kBeforeSegmentCursor},
    {"after_cursor", Failpoint::kAfterSegmentCursor},
    {"before_eligible", Failpoint::kBeforeSegmentEligible},
    {"after_eligible", Failpoint::kAfterSegmentEligible},
}};

}  // namespace

std::span<const std::pair<std::string_view, Failpoint>> SegmentFailpoints() {
  return kSegmentFailpoints;
}

void HitFailpoint(Failpoint armed, Failpoint here) {
  if (armed == here && here != Failpoint::kNever) [[unlikely]]
    std::abort();
}

}  // namespace tidemark::io

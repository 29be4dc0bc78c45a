#include "verify/report.h"

#include <algorithm>

#include "base/check.h"
#include "verify/lost_count.h"

namespace tidemark::verify {

std::string_view ToString(FindingKind kind) {
  switch (kind) {
    case FindingKind::kMissingWindow:
      return "missing-window";
    case FindingKind::kBadManifest:
      return "bad-manifest";
    case FindingKind::kOverlap:
      return "overlap";
    case FindingKind::kGap:
      return "gap";
    case FindingKind::kBadKey:
      return "bad-key";
    case FindingKind::kMissingObject:
      return "missing-object";
    case FindingKind::kWrongBytes:
      return "wrong-bytes";
    case FindingKind::kUnreadableObject:
      return "unreadable-object";
    case FindingKind::kWrongCount:
      return "wrong-count";
    case FindingKind::kWrongOrder:
      return "wrong-order";
    case FindingKind::kDuplicate:
      return "duplicate";
    case FindingKind::kWrongTime:
      return "wrong-time";
    case FindingKind::kWrongLane:
      return "wrong-lane";
    case FindingKind::kWrongFooter:
      return "wrong-footer";
    case FindingKind::kStray:
      return "stray";
    case FindingKind::kBadSidecar:
      return "bad-sidecar";
    case FindingKind::kHole:
      return "hole";
    case FindingKind::kFalseLoss:
      return "false-loss";
  }
  CheckFailed("kind is known", __FILE__, __LINE__, "");
}

void Findings::Add(Finding finding) {
  ++total_;
  if (kept_.size() < kKept) kept_.push_back(std::move(finding));
}

bool Report::has_losses() const {
  return std::ranges::any_of(queues, [](const auto& queue) { return !queue.lost.empty(); });
}

std::int64_t Report::lost_offsets() const {
  std::int64_t sum = 0;
  for (const auto& queue : queues) sum = SaturatingAdd(sum, queue.lost_offsets);
  return sum;
}

}  // namespace tidemark::verify

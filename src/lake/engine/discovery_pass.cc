#include "lake/engine/discovery_pass.h"

#include <algorithm>

namespace tidemark::lake {

std::optional<queen::DiscoveryEntry> DiscoveryPass::NextPage(const std::string& queue,
                                                             Micros t_prev) {
  if (outstanding_ || (!open_ && !due_)) return std::nullopt;
  if (!open_) {
    open_ = true;
    due_ = false;
    after_.clear();
    lowest_ = kPlusInfinity;
    const bool full = completed_ % kFullSweepEvery == 0 || t_prev == kMinusInfinity;
    since_ = full ? std::nullopt : std::optional(t_prev - kDiscoverySlack);
  }
  outstanding_ = true;
  return queen::DiscoveryEntry{.queue = queue, .since = since_, .after = after_};
}

bool DiscoveryPass::OnPage(Micros safe_time, const std::string& next) {
  outstanding_ = false;
  lowest_ = std::min(lowest_, safe_time);
  after_ = next;
  if (!next.empty()) return false;
  open_ = false;
  ++completed_;
  // The API does not promise that safe time never falls; what was true stays true.
  complete_safe_ = std::max(complete_safe_.value_or(lowest_), lowest_);
  return true;
}

void DiscoveryPass::OnFailure() {
  outstanding_ = false;
  open_ = false;
  due_ = true;
}

}  // namespace tidemark::lake

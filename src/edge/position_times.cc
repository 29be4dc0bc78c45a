#include "edge/position_times.h"

#include <algorithm>

namespace tidemark::edge {

void PositionTimes::Note(Position synced, Micros now) {
  if (synced <= latest_.synced) return;
  latest_ = {.synced = synced, .at = now};
  if (++passed_ < stride_) return;
  passed_ = 0;
  samples_.push_back(latest_);
  if (samples_.size() <= kSamplesMax) return;
  for (std::size_t i = 0; 2 * i < samples_.size(); ++i) samples_[i] = samples_[2 * i];
  samples_.resize((samples_.size() + 1) / 2);
  stride_ *= 2;
}

void PositionTimes::Forget(Position committed) {
  while (!samples_.empty() && samples_.front().synced <= committed) samples_.pop_front();
  if (samples_.empty()) stride_ = 1;
}

std::optional<Micros> PositionTimes::FirstAfter(Position committed) const {
  const auto found = std::ranges::upper_bound(samples_, committed, {}, &Sample::synced);
  if (found != samples_.end()) return found->at;
  if (latest_.synced > committed) return latest_.at;
  return std::nullopt;
}

}  // namespace tidemark::edge

#include "verify/lane_ledger.h"

#include <algorithm>
#include <tuple>

#include "base/check.h"

namespace tidemark::verify {

namespace {

using format::LostRange;
using Ranges = std::vector<LostRange>;

bool LaneOrder(const LostRange& a, const LostRange& b) {
  return std::tie(a.partition, a.from, a.to) < std::tie(b.partition, b.from, b.to);
}

// The parts of `range` that none of `covers` (sorted by LaneOrder) covers.
Ranges Subtract(const LostRange& range, const Ranges& covers) {
  Ranges rest;
  Offset next = range.from;
  const LostRange lane_begin{range.partition, Offset(INT64_MIN), Offset(0)};
  auto it = std::ranges::lower_bound(covers, lane_begin, LaneOrder);
  for (; it != covers.end() && it->partition == range.partition && next <= range.to; ++it) {
    if (it->to < next) continue;
    if (it->from > range.to) break;
    if (it->from > next) rest.push_back({range.partition, next, it->from - 1});
    if (it->to >= range.to) return rest;  // before a + 1 that INT64_MAX does not bear
    next = it->to + 1;
  }
  if (next <= range.to) rest.push_back({range.partition, next, range.to});
  return rest;
}

}  // namespace

LaneLedger::Lane* LaneLedger::Find(std::string_view partition) {
  if (current_ != nullptr && current_->first == partition) return &current_->second;
  const auto it = lanes_.find(partition);
  if (it == lanes_.end()) return nullptr;
  current_ = &*it;
  return &it->second;
}

LaneLedger::Step LaneLedger::Add(std::string_view partition, Offset offset, Micros ts) {
  Lane* lane = Find(partition);
  if (lane == nullptr) {
    const auto lost = lost_unseen_.find(partition);
    const bool is_whole = lost == lost_unseen_.end() || lost->second < offset;
    current_ =
        &*lanes_.emplace(partition, Lane{offset, offset, ts, window_, epoch_, is_whole}).first;
    return Step::kFits;
  }
  Step step = Step::kFits;
  if (offset <= lane->last) {
    if (lane->window == window_ || ts <= lane->last_ts) return Step::kRepeated;
    ++recreated_;
    lane->is_whole = false;
    step = Step::kNewIncarnation;
  } else {
    if (ts < lane->last_ts) step = Step::kTimeBack;
    if (lane->epoch != epoch_) {
      lane->is_whole = false;
    } else if (offset > lane->last + 1) {
      gaps_.push_back({{std::string(partition), lane->last + 1, offset - 1}, window_});
    }
  }
  lane->last = offset;
  lane->last_ts = ts;
  lane->window = window_;
  lane->epoch = epoch_;
  return step;
}

void LaneLedger::AddLost(LostRange range) {
  Lane* const lane = Find(range.partition);
  if (lane == nullptr) {
    Offset& last = lost_unseen_.try_emplace(range.partition, range.to).first->second;
    last = std::max(last, range.to);
  } else if (range.from == Offset(0) && lane->window != window_) {
    lane->is_whole = false;
  }
  lost_.push_back(std::move(range));
}

LaneLedger::Position LaneLedger::At(std::string_view partition) const {
  const auto it = lanes_.find(partition);
  TIDEMARK_CHECK(it != lanes_.end(), "lane {}", partition);
  return {it->second.last, it->second.last_ts};
}

std::vector<LaneLedger::Gap> LaneLedger::UnexplainedGaps() const {
  Ranges lost = lost_;
  std::ranges::sort(lost, LaneOrder);
  std::vector<Gap> unexplained;
  for (const auto& gap : gaps_) {
    for (auto& rest : Subtract(gap.range, lost)) unexplained.push_back({std::move(rest), gap.k});
  }
  std::ranges::sort(unexplained, [](const Gap& a, const Gap& b) {
    return LaneOrder(a.range, b.range) || (a.range == b.range && a.k < b.k);
  });
  return unexplained;
}

std::vector<LostRange> LaneLedger::FalseLosses() const {
  Ranges gaps;
  for (const auto& gap : gaps_) gaps.push_back(gap.range);
  std::ranges::sort(gaps, LaneOrder);
  Ranges false_losses;
  for (const auto& range : lost_) {
    const auto it = lanes_.find(range.partition);
    // An offset of another incarnation, or of a window that could not be read, may be lost and
    // here.
    if (it == lanes_.end() || !it->second.is_whole) continue;
    const LostRange seen{range.partition,
                         std::max(range.from, it->second.first),
                         std::min(range.to, it->second.last)};
    if (seen.from > seen.to) continue;
    for (auto& rest : Subtract(seen, gaps)) false_losses.push_back(std::move(rest));
  }
  std::ranges::sort(false_losses, LaneOrder);
  return false_losses;
}

}  // namespace tidemark::verify

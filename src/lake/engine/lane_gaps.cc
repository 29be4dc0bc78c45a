#include "lake/engine/lane_gaps.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace tidemark::lake {

void LaneGaps::Note(LaneId id) {
  if (!std::exchange(lanes_[id].gapped, true)) gapped_.push_back(id);
}

void LaneGaps::NoteOverrun(LaneId id, Offset from, Offset to) {
  Note(id);
  AppendLost(overruns_[id], lanes_[id].name, from, to);
}

std::vector<LaneId> LaneGaps::Doubtful() const {
  std::vector<LaneId> doubtful;
  for (const LaneId id : gapped_) {
    const Lane& lane = lanes_[id];
    if (lane.gapped && lane.doubtful && lane.settled < lane.position()) doubtful.push_back(id);
  }
  std::ranges::sort(doubtful);
  doubtful.erase(std::ranges::unique(doubtful).begin(), doubtful.end());
  return doubtful;
}

void LaneGaps::AddLost(LaneId id, Offset from, Offset to, Plan& plan) const {
  if (from > to) return;
  const LostRanges gap{{.partition = std::string(lanes_[id].name), .from = from, .to = to}};
  const auto overrun = overruns_.find(id);
  plan.holes += OffsetsIn(overrun == overruns_.end() ? gap : Without(gap, overrun->second));
  plan.lost.push_back(gap.front());
}

void LaneGaps::TakeBelow(Micros t, Plan& plan) {
  for (const LaneId id : std::exchange(gapped_, {})) {
    Lane& lane = lanes_[id];
    if (!lane.gapped) continue;
    Offset expected = lane.settled;
    std::optional<Offset> beyond;  // the first record that is not taken
    for (const Run& run : lane.runs) {
      const auto records = run.view();
      const auto cut = std::ranges::lower_bound(records, t, {}, &queen::RecordSlice::ts);
      for (auto record = records.begin(); record != cut; ++record) {
        AddLost(id, expected, record->offset - 1, plan);
        expected = record->offset + 1;
      }
      if (cut == records.end()) continue;
      beyond = cut->offset;
      break;
    }
    // What a deleted partition had beyond its records was told when that was noticed.
    const Offset end = beyond ? *beyond : lane.renewing ? expected : lane.next;
    AddLost(id, expected, end - 1, plan);
    lane.settled = end;
    lane.gapped = lane.doubtful = false;
    // Beyond `end` further records, and gaps between them, may be held.
    if (beyond) {
      Note(id);
    } else {
      overruns_.erase(id);
    }
  }
}

void LaneGaps::Abandon(LaneId id, Offset end, LostRanges& lost) {
  Lane& lane = lanes_[id];
  const bool held = !lane.runs.empty();
  const Offset from = held ? lane.runs.back().back().offset + 1 : lane.settled;
  if (from < end && (held || !lane.doubtful)) AppendLost(lost, lane.name, from, end - 1);
  if (held) return;
  lane.gapped = false;
  overruns_.erase(id);
}

void LaneGaps::Settle(LaneId id, Offset at) {
  Lane& lane = lanes_[id];
  lane.settled = std::clamp(at, lane.settled, lane.position());
  lane.gapped = lane.doubtful = false;
  if (lane.settled < lane.position()) {
    Note(id);
  } else {
    overruns_.erase(id);
  }
}

}  // namespace tidemark::lake

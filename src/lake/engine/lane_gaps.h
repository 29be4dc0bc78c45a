#pragma once
// Offsets that were passed and are in no record. They are counted when a window is taken and not
// when they are met, so that reading a lane again counts nothing twice (decision 8): the records of
// a lane are contiguous from `settled` on, but for its gaps.

#include <unordered_map>
#include <vector>

#include "lake/engine/lane_table.h"
#include "lake/engine/lost_ranges.h"
#include "lake/engine/plan.h"

namespace tidemark::lake {

class LaneGaps {
 public:
  // Works on `lanes`, which outlives it.
  explicit LaneGaps(LaneTable& lanes) : lanes_(lanes) {}

  // The lane was, or will be, moved over offsets that are in no record.
  void Note(LaneId id);
  // As Note, for offsets `from` .. `to` that retention took.
  void NoteOverrun(LaneId id, Offset from, Offset to);

  // Lanes whose gap may have been shipped by an earlier life: not to be reported before that was
  // looked up.
  std::vector<LaneId> Doubtful() const;

  // Call before the records with ts < `t` are taken out of the buffer. Adds what is missing below
  // the first record at or after `t`, or below `next`, to `plan`, and settles it.
  void TakeBelow(Micros t, Plan& plan);

  // The lane's partition is gone, and with it what it had beyond its held records, up to `end`:
  // that is added to `lost`. Without held records nothing is left of the lane then, and what is
  // doubtful is not told.
  void Abandon(LaneId id, Offset end, LostRanges& lost);

  // Everything of the lane below `at` is accounted for elsewhere, all losses included.
  void Settle(LaneId id, Offset at);

 private:
  void AddLost(LaneId id, Offset from, Offset to, Plan& plan) const;

  LaneTable& lanes_;
  std::vector<LaneId> gapped_;
  std::unordered_map<LaneId, LostRanges> overruns_;  // the rest of the gaps are holes
};

}  // namespace tidemark::lake

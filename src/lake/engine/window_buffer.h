#pragma once
// The records read but not yet in a window, over all lanes: how heavy they are up to a time, where
// a window of a given size ends, which go into it. Payloads are never touched; runs are cut, not
// copied.

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "lake/engine/lane_table.h"
#include "lake/engine/memory_budget.h"
#include "lake/engine/plan.h"

namespace tidemark::lake {

class WindowBuffer {
 public:
  // Works on the runs of `lanes`, which outlives it.
  explicit WindowBuffer(LaneTable& lanes) : lanes_(lanes) {}

  // `run` is not empty and continues the lane.
  void Append(LaneId id, Run run);

  std::int64_t weight() const { return weight_; }

  // The oldest timestamp held; nullopt when empty.
  std::optional<Micros> first_ts() const;

  // The newest timestamp held; only meaningful when not empty.
  Micros last_ts() const { return last_ts_; }

  // The end of a window closed by size: the smallest held timestamp at or below `cap` with at least
  // `target` strictly below it. nullopt when there is none (yet).
  std::optional<Micros> SizeBoundary(std::int64_t target, Micros cap) const;
  // Whether the records strictly below `t` weigh at least `target`.
  bool ReachesBelow(std::int64_t target, Micros t) const;

  // Moves every record with ts < `t` out, lanes ascending by name bytes; fills lanes and facts of
  // `plan`, and settles the lanes up to what is left.
  void TakeBelow(Micros t, Plan& plan);

  // Gives up the newer half by weight (at least one timestamp): those records will be read again.
  // Those of deleted partitions stay: they could not be.
  // Returns the lanes that lost some; their `next` and `frontier` are set back.
  std::vector<LaneId> DropNewest();

  // Gives up everything held; `next` of each lane is set back to its first held record. No lane is
  // renewing.
  void Clear();

  // Gives up what is held of these lanes, for good.
  void Forget(const std::vector<LaneId>& lanes);

  // Copies small remainders out of answers that are mostly used up, so that a few records do not
  // pin megabytes.
  void Compact(MemoryBudget& budget);

 private:
  struct Weighted {
    Micros ts;
    std::int64_t weight;
  };

  std::vector<Weighted> GatherBucket(std::int64_t bucket) const;
  void Count(const Lane& lane, const Run& run);
  void Recount();

  LaneTable& lanes_;
  std::vector<LaneId> active_;  // lanes with runs
  std::map<std::int64_t, std::int64_t> weight_by_bucket_;
  std::int64_t weight_ = 0;
  Micros first_ts_ = kPlusInfinity;
  Micros last_ts_ = kMinusInfinity;
};

}  // namespace tidemark::lake

#pragma once
// Which lanes to read next, and how much of each: lanes with the oldest unread records first, so
// that all move forward together and a window can close; many lanes a call; never more at once than
// the memory budget allows.

#include <cstdint>
#include <queue>
#include <string>
#include <unordered_map>
#include <vector>

#include "lake/engine/lane_table.h"
#include "lake/engine/memory_budget.h"
#include "queen/types.h"

namespace tidemark::lake {

struct FetchLimits {
  int concurrency = 4;                                      // calls under way at once
  std::int64_t entry_bytes_max = std::int64_t{1} << 20;     // asked of one lane
  std::int64_t call_bytes = std::int64_t{4} << 20;          // expected of one call
  std::int64_t keep_free_bytes = 0;                         // of the budget, for object buffers
  std::int64_t read_ahead_bytes = std::int64_t{160} << 20;  // held weight to aim at
};

struct FetchCall {
  std::uint64_t id = 0;
  queen::FetchRequest request;
};

// What the lane of an entry was when it was asked for.
struct Asked {
  Offset next;
  Offset from;       // asked: `next`, or the offset before it
  Offset head;       // the log reached at least so far
  Offset log_start;  // and began there or later
  bool check = false;
};

// A call under way, as the engine needs it back.
struct OpenCall {
  std::vector<LaneId> lanes;  // one per entry
  std::vector<Asked> asked;
  bool alone = false;  // one lane, with the largest share: its first segment must come
  std::int64_t expected_bytes = 0;
  Micros min_frontier = kPlusInfinity;
  Reservation reservation;  // of the largest possible answer
};

class FetchPlanner {
 public:
  FetchPlanner(FetchLimits limits, LaneTable& lanes, MemoryBudget& budget);

  // The lane is wanted and has no call under way. Again when its frontier was changed.
  void Enqueue(LaneId id);
  // The lane is not wanted any more.
  void Dequeue(LaneId id);

  // The next call, for lanes with a frontier at or below `ceiling`; nullopt when there is none, or
  // no room.
  std::optional<FetchCall> NextCall(const std::string& queue,
                                    Micros ceiling,
                                    std::int64_t held_weight);

  // Ends a call; its lanes are no longer outstanding.
  OpenCall Close(std::uint64_t id);
  // The answer of `call` was above its bound: expect more, and ask for less, from now on. Where
  // there is no less, its lanes are asked alone, with room for the largest segment there can be.
  void AskLess(const OpenCall& call);
  // `records` came in an answer of `bytes` to `call`: the base of later estimates.
  void Learn(const OpenCall& call, std::int64_t records, std::int64_t bytes);

  // The lowest frontier of all unread lanes; kPlusInfinity when nothing is unread.
  Micros MinFrontier() const;

  bool idle() const { return open_.empty(); }

  // Lanes stood ready at the last NextCall, but the budget had no room.
  bool starved() const { return starved_; }

 private:
  using Ready = std::pair<Micros, LaneId>;

  struct Draft {
    FetchCall call;
    OpenCall open;
    std::vector<Ready> taken;
  };

  // What a lane is asked for, and what is likely to come.
  struct Share {
    std::int64_t asked;
    std::int64_t expected;
  };

  void DropStale() const;
  Share ShareOf(const Lane& lane, std::int64_t per_lane) const;
  std::int64_t BoundOf(std::int64_t expected_bytes) const;
  Draft TakeLanes(Micros ceiling, std::int64_t per_lane, std::int64_t room);
  void PutBack(const Draft& draft);

  const FetchLimits limits_;
  LaneTable& lanes_;
  MemoryBudget& budget_;
  // Lowest frontier first. An entry whose frontier is no longer its lane's is stale and skipped.
  mutable std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready_;
  std::size_t queued_ = 0;
  std::unordered_map<std::uint64_t, OpenCall> open_;
  std::uint64_t last_id_ = 0;
  std::int64_t call_bytes_;
  std::int64_t record_bytes_ = 512;  // running estimate
  double expansion_ = 2;             // running upper estimate of answer bytes over expected ones
  bool starved_ = false;
};

}  // namespace tidemark::lake

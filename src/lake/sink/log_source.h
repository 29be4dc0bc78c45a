#pragma once
// A window read from the log again, lane by lane in key order, one answer held at a time: for a
// redo, and for a window that does not fit in memory (decision "Memory"). Many small lanes share a
// call; a large one gets calls of its own.

#include <vector>

#include "format/checkpoint.h"
#include "lake/commit/commit_context.h"
#include "lake/commit/window_source.h"
#include "lake/engine/lost_ranges.h"
#include "lake/engine/plan.h"

namespace tidemark::lake {

// Loop thread; context and plan outlive it.
class LogSource final : public WindowSource {
 public:
  // What an answer usually holds; a partition that is read alone may need more.
  static constexpr std::int64_t kAnswerBytes = std::int64_t{16} << 20;

  LogSource(CommitContext& context, const Plan& plan);

  void Rewind() override;
  io::Task<Result<std::span<const format::RecordView>>> Next() override;

  struct Count {
    std::int64_t records = 0;
    // Of the lanes, below their first record beyond the window: taken by retention, or a hole. What
    // lies before a record of an earlier window is that window's affair.
    LostRanges lost;
    LostRanges holes;  // the part of `lost` that retention did not take
    // The first offset of each lane beyond the window.
    std::vector<format::Checkpoint::Position> positions;
    // Lanes that are another partition than was planned: what counts is the new one's.
    std::vector<Successor> successors;
  };

  // Reads the whole window once to count it, then rewinds. Errors, as of Next: kUnavailable when a
  // partition is refused (from the start it may succeed), kInternal when the broker does not know
  // one any more; others as of a fetch.
  io::Task<Result<Count>> CountRecords();

 private:
  void BeginLane();
  io::Task<Status> FetchMore();
  // Takes the current lane's entry of the answer into batch_. True when the lane is read to the
  // window's end.
  Result<bool> TakeEntry(const queen::FetchEntryAnswer& entry);
  bool IsSuccessor(const queen::FetchEntryAnswer& entry) const;
  void BeginAnew(const queen::FetchEntryAnswer& entry);
  // What lies before the lane's first wanted offset is not lost.
  void AddLost(Offset from, Offset to);
  void AddHole(Offset from, Offset to);
  void ForgetLosses();

  CommitContext& context_;
  const Plan& plan_;
  std::size_t lane_ = 0;  // the one being read
  Offset from_;           // its first wanted offset
  Offset next_;           // its next offset
  bool anew_ = false;     // it was found created anew
  bool lone_ = false;     // the last answer did not hold all of it: ask for it alone
  bool stuck_ = false;    // asked alone, it gave nothing
  // Asked for next is twice as many, if not alone: as many as the last answer held whole.
  std::size_t lanes_per_call_ = 16;
  queen::FetchAnswer answer_;
  std::size_t entry_ = 0;  // of answer_, belongs to lane_
  std::vector<format::RecordView> batch_;
  LostRanges lost_;
  LostRanges holes_;
  std::vector<format::Checkpoint::Position> positions_;
  std::vector<Successor> successors_;
};

}  // namespace tidemark::lake

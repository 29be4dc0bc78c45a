#pragma once
// Turns broker answers into windows. Sans-I/O: answers go in (On...), what to do next comes out
// (Poll); no clock is reachable from here, only broker timestamps (contract: "The window commit",
// "Two findings that shape when a window closes"). One engine per queue; driven by one thread.
//
// A window may end at E only when everything below E has been read: E is at most the safe time of
// the last complete discovery pass minus the guard (a partition that pass did not name holds only
// records at or above it), and at most the lowest frontier of the lanes that have unread records. A
// lane whose fetch failed keeps its frontier and so blocks.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "format/checkpoint.h"
#include "lake/engine/closing.h"
#include "lake/engine/discovery_pass.h"
#include "lake/engine/fetch_planner.h"
#include "lake/engine/lane_gaps.h"
#include "lake/engine/memory_budget.h"
#include "lake/engine/plan.h"
#include "lake/engine/seek.h"
#include "queen/types.h"

namespace tidemark::lake {

struct EngineOptions {
  std::string queue;
  ClosingRules rules;
  FetchLimits fetch;
};

// Where the engine begins (queen-interface 5.2).
struct EngineStart {
  format::WindowNumber committed_k;
  Micros t_prev = kMinusInfinity;  // committed end, or T_0 of start=latest, or minus infinity
  // Positions of the newest usable checkpoint; nullopt when there is none.
  std::optional<format::Checkpoint> checkpoint;

  // A window whose intent is durable: it is built first, exactly so.
  struct Redo {
    format::Window window;
    std::vector<format::LostRange> lost;
  };

  std::optional<Redo> redo;
};

struct EngineActions {
  std::vector<FetchCall> fetches;
  std::optional<queen::DiscoveryEntry> discover;
  std::optional<Plan> plan;  // to be committed; the next comes only after OnCommitted
  // Partitions that seem to have lost offsets since the checkpoint: how far had the windows after
  // it come? No plan is given out before OnAudited.
  std::vector<std::string> audit;
  // Partitions found deleted and created anew since the last Poll.
  std::vector<std::string> recreated;
};

struct EngineStats {
  std::int64_t buffered_bytes = 0;    // weight
  std::int64_t committing_bytes = 0;  // weight of the window given out
  std::int64_t lanes = 0;
  std::int64_t dropped_committed = 0;  // records read again and found below the filter
  Micros newest_safe_time = kMinusInfinity;
  std::int64_t passes = 0;  // complete ones, of discovery
};

class WindowEngine {
 public:
  // The budget outlives the engine and all plans it gave out.
  WindowEngine(EngineOptions options, EngineStart start, MemoryBudget& budget);

  EngineActions Poll();

  void OnDiscovery(const queen::DiscoveryEntryAnswer& page, Micros safe_time);

  void OnDiscoveryFailed() { pass_.OnFailure(); }

  void OnFetch(std::uint64_t call_id, queen::FetchAnswer answer);
  // `too_large`: the answer was above its bound and less must be asked for.
  void OnFetchFailed(std::uint64_t call_id, bool too_large);
  // The plan is durable. `positions`: for a plan from the log, where each of its lanes was read to.
  // `lost_unreported`: losses its manifest does not carry; the next one will. `successors`: lanes
  // of `positions` that were found created anew; theirs are of the new partition.
  void OnCommitted(const std::vector<format::Checkpoint::Position>& positions,
                   std::vector<format::LostRange> lost_unreported,
                   const std::vector<Successor>& successors = {});
  // Of the partitions asked about in `audit`, those that are in the windows since the checkpoint:
  // everything below `next` is in one of them, as a row or as lost.
  void OnAudited(const std::vector<format::Checkpoint::Position>& shipped);
  // A plan from the log turned out to hold no record any more (retention): there is no window.
  void OnNothingToCommit(const std::vector<format::Checkpoint::Position>& positions,
                         std::vector<format::LostRange> lost,
                         const std::vector<Successor>& successors);

  // The discovery interval has passed.
  void OnInterval() { pass_.MakeDue(); }

  // Close at the largest legal end at the next Poll (shutdown, memory).
  void RequestClose() { forced_ = true; }

  // Where window k+1 starts reading, every lane, for the checkpoint of the last committed window.
  // Not while a plan is out, nor while a lane is sought.
  format::Checkpoint Positions() const;
  // Everything below is in the lake or never was in the log; never falls (decisions 9, 13).
  Micros CompleteThrough();

  // Lanes whose first wanted record is not known yet: their positions mean nothing.
  bool seeking() const { return !seeks_.empty(); }

  // Safe time of the last complete pass minus the guard; kMinusInfinity before it.
  Micros GuardedSafeTime() const;
  EngineStats Stats() const;

  // Set when the broker broke its word (timestamps or offsets that fall within a lane): nothing
  // more can be built.
  const std::optional<Error>& fault() const { return fault_; }

 private:
  // Intake (engine_intake.cc).
  void Meet(const queen::DiscoveredPartition& found);
  LaneId Place(const queen::DiscoveredPartition& found);
  void BeginSeek(LaneId id);
  void TakeProbe(LaneId id, const Asked& asked, const queen::FetchEntryAnswer& entry, bool alone);
  void ContinueSeek(LaneId id);
  void EndSeek(LaneId id, Offset next);
  void NoteLogStart(LaneId id, Offset log_start);
  void TakeEntry(LaneId id,
                 const std::shared_ptr<const queen::AnswerBody>& body,
                 const queen::FetchEntryAnswer& entry,
                 bool alone);
  void TakeNothing(LaneId id, bool alone);
  void TakeRecords(LaneId id,
                   const std::shared_ptr<const queen::AnswerBody>& body,
                   std::span<const queen::RecordSlice> records);
  bool CheckRecords(const Lane& lane, std::span<const queen::RecordSlice> records);
  void Requeue(LaneId id);

  // Partitions that were created anew (engine_renewal.cc).
  void Suspect(LaneId id, const queen::DiscoveredPartition& found);
  bool IsSuccessor(const Lane& lane,
                   const Asked& asked,
                   const queen::FetchEntryAnswer& entry) const;
  // `head`: one past the successor's last offset.
  void Renew(LaneId id, Offset log_start, Offset head);
  void BeginAnew(LaneId id);
  void CapBySuccessor(Lane& lane, Micros first);
  bool TakePrior(LaneId id, const Asked& asked, queen::FetchEntryAnswer& entry, bool alone);
  void AbandonRenewing();
  void FinishRenewing();
  Micros Cut() const;

  // Windows (engine.cc).
  Horizon CurrentHorizon() const;
  Micros FetchCeiling() const;
  void ScheduleFetches(EngineActions& actions);
  std::optional<Plan> NextPlan();
  std::optional<Plan> TakePlan(const Close& close);
  Plan PlanFromLog(format::Window window);
  std::optional<Plan> RelieveMemory();
  void AskForAudit(EngineActions& actions);
  void EndCommit(const std::vector<format::Checkpoint::Position>& positions,
                 std::vector<format::LostRange> lost,
                 const std::vector<Successor>& successors);
  void CarryOver(format::LostRange range);
  void Prune();

  const EngineOptions options_;
  MemoryBudget& budget_;
  format::WindowNumber committed_k_;
  Micros committed_end_;
  Micros t_prev_;  // where the next window starts; later than committed_end_ over empty intervals
  // A lane that is not in the checkpoint of this window is younger than it.
  const std::optional<format::WindowNumber> checkpoint_k_;
  const bool seek_new_lanes_;  // no checkpoint says where a lane that is met begins

  struct KnownPosition {
    Offset next;
    Micros below = kMinusInfinity;  // the record before `next` is older
    bool of_checkpoint = false;
  };

  std::unordered_map<std::string, KnownPosition>
      known_positions_;  // of lanes not met, or forgotten
  std::unordered_map<LaneId, Seek> seeks_;
  std::optional<EngineStart::Redo> redo_;

  LaneTable lanes_;
  WindowBuffer buffer_;
  LaneGaps gaps_;
  FetchPlanner planner_;
  DiscoveryPass pass_;
  std::vector<format::LostRange> lost_;  // of no lane's gap; for the next window's manifest
  // Records from here on were given back for want of memory. Nothing is read above it until a
  // window is taken or everything below is read: they would only be given back again.
  Micros read_below_ = kPlusInfinity;
  std::uint32_t page_ = 0;                    // number of the newest discovery page asked for
  std::vector<LaneId> renewing_;              // lanes of which `renewing` is set
  std::vector<std::string> recreated_;        // for the next Poll
  bool audit_due_ = false;                    // a window waits for an audit
  std::vector<LaneId> audited_;               // asked about; not empty while an audit is under way
  std::optional<format::Window> committing_;  // given out, not yet durable
  Micros committing_first_;                   // no record of it is older
  std::int64_t committing_weight_ = 0;
  bool committing_from_log_ = false;
  bool forced_ = false;
  Micros complete_through_ = kMinusInfinity;
  EngineStats stats_;
  std::optional<Error> fault_;
};

}  // namespace tidemark::lake

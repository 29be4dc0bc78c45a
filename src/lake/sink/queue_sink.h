#pragma once
// One queue's lake, kept up to date: claims the lease, finds where it stands, and turns the log
// into committed windows until it is told to stop. The one place where engine, commit and broker
// meet.

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "io/async.h"
#include "lake/commit/commit_window.h"
#include "lake/commit/restart.h"
#include "lake/config/start.h"
#include "lake/engine/engine.h"
#include "lake/sink/complete_file.h"
#include "lake/sink/log_source.h"
#include "lake/sink/made_small.h"
#include "lake/sink/sink_events.h"

namespace tidemark::lake {

struct SinkOptions {
  EngineOptions engine;
  CommitOptions commit;
  LeaseOptions lease;
  Start start;
  std::int64_t checkpoint_every = 20;  // windows
  io::Duration discovery_interval = std::chrono::seconds(2);
  // Once the answers of this process hold more, further ones are packed before they wait for their
  // window, and objects go up in parts (docs/decisions/0007).
  std::int64_t pack_above_bytes = std::int64_t{32} << 20;
  // Finish a pending window, rewrite the pointers for queen-s3 1.5.0 and end (decision 1).
  bool prepare_rollback = false;
};

// What all queues of a process share.
struct SinkWorld : LakeWorld {
  MemoryBudget& budget;
};

// Loop thread. Run once.
class QueueSink {
 public:
  QueueSink(SinkWorld world, SinkOptions options, SinkEvents& events);

  // Runs until `drain` is requested (the open window is finished when that is worth it;
  // kCancelled), or until it may not go on: kPreconditionFailed (fenced: another owner),
  // kAlreadyExists (a second process of our instance name took over; starting again would only take
  // it back), or an error with the reason. `stop` gives up at once.
  io::Task<Status> Run(std::stop_token drain, std::stop_token stop);

  // Asks for the largest legal close now: another queue of this process needs the memory.
  void RelieveMemory();
  std::int64_t buffered_bytes() const;

  bool holds_lease() const { return lease_.held(); }

 private:
  io::Task<Status> RunWithLease();
  io::Task<Status> Begin();
  io::Task<Result<Micros>> FixStart();
  io::Task<Status> Serve();
  bool NeedsFirstCheckpoint() const;
  io::Task<void> SaveFirstCheckpoint();
  io::Task<void> AwaitSaving();
  bool Done() const;
  io::Task<void> Tick();
  void Act(EngineActions actions);
  io::Task<void> Fetch(FetchCall call);
  io::Task<void> Discover(queen::DiscoveryEntry entry);
  io::Task<void> Audit(std::vector<std::string> partitions);
  io::Task<void> Commit(Plan plan);
  io::Task<Status> AwaitBuffers(const Plan& plan);
  io::Task<Status> CommitPlan(const Plan& plan);
  io::Task<Status> CommitFromLog(const Plan& plan);
  void Settle(CommittedWindow window,
              const std::vector<format::Checkpoint::Position>& positions,
              const std::vector<Successor>& successors);
  io::Task<Status> SaveCheckpoint(format::Checkpoint checkpoint, int attempts);
  io::Task<Status> Drain();
  bool WorthFinishing();
  void Report();
  void StopFor(Error reason);

  // Something came that is worth a report; a tick alone is not.
  void Wake() {
    news_ = true;
    wake_.Notify();
  }

  // At most one a window, and the first thing after it: no next plan may be out. One at a time: the
  // older of two, written last, would take the newer for one that was never committed.
  bool CheckpointDue() const {
    const std::int64_t k = documents_.committed_k().value();
    return !saving_ && k > checkpoint_k_ && k % options_.checkpoint_every == 0;
  }

  // The answers of this process hold so much that memory is worth more than time.
  bool Crowded() const { return world_.budget.answers() > options_.pack_above_bytes; }

  bool Draining() const {
    return context_.drain.stop_requested() || context_.stop.stop_requested();
  }

  SinkWorld world_;
  const SinkOptions options_;
  SinkEvents& events_;
  Lease lease_;
  CommitContext context_;
  Documents documents_;
  std::optional<WindowEngine> engine_;
  io::Signal wake_;
  io::TaskGroup tasks_;
  std::stop_source done_;  // ends the ticker and waits between attempts
  CompleteFile complete_;
  bool news_ = true;
  bool committing_ = false;
  bool saving_ = false;             // a checkpoint, after its window
  Reservation buffers_;             // of the commit under way
  format::WindowNumber begun_at_;   // of the checkpoint that was loaded
  std::int64_t checkpoint_k_ = -1;  // of the newest checkpoint written or loaded; -1: none
  std::optional<Error> failure_;
};

}  // namespace tidemark::lake

#pragma once
// All queues of a process: one supervised sink each, a shared memory budget, the queue set that `*`
// stands for, and the spread of the queues over the instances that serve them.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lake/service/fair_share.h"
#include "lake/service/sink_reporter.h"
#include "lake/sink/queue_sink.h"

namespace tidemark::lake {

struct ServiceOptions {
  // Fixed names; empty: every queue of the broker, listed again every max(1 s, 10 x discovery
  // interval). Of these, one that the first listing has not did not exist then: with
  // start=latest all of it is later than this process, and it is read from its beginning.
  std::vector<std::string> queues;
  // What every queue gets; the queue's name is filled in.
  SinkOptions sink;
  std::int64_t memory_bytes = std::int64_t{1} << 30;
  // After a queue failed (unknown queue, refused write): until it is started over.
  io::Duration restart_after = std::chrono::seconds(60);
};

struct ServiceWorld : LakeWorld {
  obs::Metrics& metrics;
  obs::Health& health;
  obs::Log& log;
  StatusBoard& board;
};

// Loop thread. Run once.
class LakeService {
 public:
  LakeService(ServiceWorld world, ServiceOptions options);

  // Serves until `drain` (with prepare_rollback: until every queue was done once); returns when
  // every sink has ended and released its lease. False when a queue could not be prepared. `stop`
  // gives up at once.
  io::Task<bool> Run(std::stop_token drain, std::stop_token stop);

 private:
  // One life of a queue's sink, from the wait for its lease on.
  struct Life {
    QueueSink* sink = nullptr;    // null between two lives
    std::stop_source drain = {};  // of this life alone
    int asks = 0;                 // for the lease
  };

  io::Task<void> FollowQueueSet();
  io::Task<Result<std::vector<std::string>>> ListQueues();
  io::Task<void> KeepShare();
  void GiveBack();
  bool MayAsk(Life& life);
  std::int64_t Held() const;
  io::Task<void> GuardMemory();
  void ReportMemory();
  void AddQueue(const std::string& queue, const Start& start);
  io::Task<void> Supervise(std::string queue, Start start);
  io::Task<Status> RunOnce(const std::string& queue, const Start& start);
  SinkOptions OptionsFor(const std::string& queue, const Start& start);
  void NoteHealth(const std::string& queue, ErrorCode stopped_by);
  // `again_in`: nullopt for good.
  void LogStop(const std::string& queue,
               const std::string& reason,
               std::optional<io::Duration> again_in);
  void OnGivenBack(const std::string& queue);
  void OnHeldByOther(const std::string& queue, std::string_view holder);
  io::Task<bool> Pause(io::Duration wait);

  ServiceWorld world_;
  const ServiceOptions options_;
  MemoryBudget budget_;
  SinkReporter reporter_;
  std::stop_token drain_;
  std::stop_token stop_;
  io::TaskGroup tasks_;
  bool all_prepared_ = true;
  std::map<std::string, Life> lives_;  // by queue
  FairShare share_;
  // `*` with start=latest: the safe time just before the first listing.
  std::optional<Micros> begun_at_;
  std::int64_t asking_ = 0;  // for leases, just now
};

// What of QUEEN_S3_MEMORY_MB can be given out; the rest is the allocator's own.
std::int64_t BudgetOf(std::int64_t memory_bytes);

// How the budget is used: fills the fetch limits, and lowers the multipart threshold where a single
// PUT of that size would not leave room for answers.
void FitToBudget(std::int64_t memory_bytes, SinkOptions& options);

}  // namespace tidemark::lake

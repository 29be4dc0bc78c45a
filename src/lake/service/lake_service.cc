#include "lake/service/lake_service.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "store/upload.h"

namespace tidemark::lake {

namespace {

constexpr io::Duration kGuardInterval = std::chrono::milliseconds(200);

constexpr std::int64_t kMiB = std::int64_t{1} << 20;

}  // namespace

std::int64_t BudgetOf(std::int64_t memory_bytes) { return memory_bytes - memory_bytes / 16; }

void FitToBudget(std::int64_t memory_bytes, SinkOptions& options) {
  const std::int64_t least = CommitBytes(0);
  std::int64_t& threshold = options.commit.multipart_threshold_bytes;
  threshold = std::min(threshold, std::max(memory_bytes / 4 - least, store::kPartBytes));
  FetchLimits& limits = options.engine.fetch;
  limits.keep_free_bytes = std::min(CommitBytes(threshold), memory_bytes / 2);
  limits.call_bytes = std::clamp(memory_bytes / 64, kMiB, 2 * kMiB);
  limits.read_ahead_bytes = options.engine.rules.target_bytes * 9 / 8;
}

LakeService::LakeService(ServiceWorld world, ServiceOptions options)
    : world_(world),
      options_(std::move(options)),
      budget_(BudgetOf(options_.memory_bytes)),
      reporter_(world.metrics, world.health, world.log, world.board, world.clock),
      tasks_(world.loop) {}

io::Task<bool> LakeService::Run(std::stop_token drain, std::stop_token stop) {
  drain_ = std::move(drain);
  stop_ = std::move(stop);
  for (const auto& queue : options_.queues) AddQueue(queue);
  if (options_.queues.empty()) tasks_.Add(FollowQueueSet());
  if (!options_.sink.prepare_rollback) tasks_.Add(GuardMemory());
  co_await tasks_.Join();
  co_return all_prepared_;
}

io::Task<bool> LakeService::Pause(io::Duration wait) {
  co_return co_await io::Sleep(world_.loop, wait, drain_);
}

io::Task<void> LakeService::FollowQueueSet() {
  const io::Duration every =
      std::max<io::Duration>(std::chrono::seconds(1), 10 * options_.sink.discovery_interval);
  do {
    auto listed = co_await world_.broker.ListQueues();
    if (listed) {
      for (const auto& queue : *listed) AddQueue(queue);
    } else {
      world_.log.Sampled("queues",
                         "the queues cannot be listed, keeping the set we have",
                         {{"error", listed.error().message}});
    }
    if (options_.sink.prepare_rollback) co_return;
  } while (co_await Pause(every));
}

// A sink that waits for memory another one holds cannot help itself: the largest closes its window
// early.
io::Task<void> LakeService::GuardMemory() {
  const std::int64_t keep_free = options_.sink.engine.fetch.keep_free_bytes;
  while (co_await Pause(kGuardInterval)) {
    ReportMemory();
    if (budget_.Room(keep_free) > 2 * kMiB) continue;
    QueueSink* largest = nullptr;
    for (const auto& [queue, sink] : running_) {
      if (sink == nullptr) continue;
      if (largest == nullptr || sink->buffered_bytes() > largest->buffered_bytes()) largest = sink;
    }
    if (largest != nullptr && largest->buffered_bytes() > 0) largest->RelieveMemory();
  }
}

void LakeService::ReportMemory() {
  using obs::Metric;
  const std::int64_t room = budget_.Room(options_.sink.engine.fetch.keep_free_bytes);
  world_.metrics.Set(Metric::kMemoryLimitBytes, {}, static_cast<double>(budget_.limit()));
  world_.metrics.Set(Metric::kMemoryUsedBytes, {}, static_cast<double>(budget_.used()));
  world_.metrics.Set(
      Metric::kMemoryRoomBytes, {}, static_cast<double>(std::max<std::int64_t>(room, 0)));
}

void LakeService::AddQueue(const std::string& queue) {
  if (drain_.stop_requested() || !running_.emplace(queue, nullptr).second) return;
  world_.health.Track(queue);
  world_.board.OnTracked(queue);
  tasks_.Add(Supervise(queue));
}

SinkOptions LakeService::OptionsFor(const std::string& queue) {
  SinkOptions options = options_.sink;
  options.engine.queue = queue;
  options.commit.queue = queue;
  options.lease.queue = queue;
  options.commit.on_retry = [this, queue](std::string_view what, const Error& error, io::Duration) {
    reporter_.OnFault(queue, what, error);
  };
  options.commit.on_warning = [this, queue](std::string_view message) {
    world_.log.Warn(message, {{"queue", queue}});
  };
  options.lease.on_held_by_other = [this, queue](std::string_view holder) {
    world_.board.OnHeldByOther(queue, holder);
    world_.log.Sampled("lease",
                       "another instance holds the lease, waiting",
                       {{"queue", queue}, {"holder", holder}});
  };
  options.lease.on_precondition_lost = [this] {
    world_.metrics.Add(obs::Metric::kCommitPreconditionLost, {});
  };
  return options;
}

io::Task<Status> LakeService::RunOnce(const std::string& queue) {
  QueueSink sink({world_.lake(), budget_}, OptionsFor(queue), reporter_);
  running_[queue] = &sink;
  Status ended = co_await sink.Run(drain_, stop_);
  running_[queue] = nullptr;
  co_return ended;
}

// Lives of one queue's sink, one after the other (queen-interface 5.4).
io::Task<void> LakeService::Supervise(std::string queue) {
  while (!drain_.stop_requested()) {
    const Status ended = co_await RunOnce(queue);
    if (ended || ended.error().code == ErrorCode::kCancelled) co_return;
    const ErrorCode code = ended.error().code;
    world_.board.OnStopped(queue, ended.error().message);
    world_.log.Error("the queue stopped", {{"queue", queue}, {"reason", ended.error().message}});
    all_prepared_ = all_prepared_ && !options_.sink.prepare_rollback;
    if (code != ErrorCode::kPreconditionFailed) world_.health.Forget(queue);
    if (code == ErrorCode::kAlreadyExists || options_.sink.prepare_rollback) co_return;
    const bool fenced = code == ErrorCode::kPreconditionFailed;
    if (!co_await Pause(fenced ? options_.sink.lease.ttl : options_.restart_after)) co_return;
    world_.health.Track(queue);
  }
}

}  // namespace tidemark::lake

#include "lake/service/lake_service.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

#include "store/upload.h"

namespace tidemark::lake {

namespace {

constexpr io::Duration kGuardInterval = std::chrono::milliseconds(200);

// An instance that has its share asks for free queues this much less often than one that lacks
// some.
constexpr int kContentAsks = 3;
constexpr int kFullAsks = 9;

constexpr std::int64_t kMiB = std::int64_t{1} << 20;

}  // namespace

std::int64_t BudgetOf(std::int64_t memory_bytes) { return memory_bytes - memory_bytes / 12; }

void FitToBudget(std::int64_t memory_bytes, SinkOptions& options) {
  const std::int64_t least = CommitBytes(0);
  std::int64_t& threshold = options.commit.multipart_threshold_bytes;
  threshold = std::min(threshold, std::max(memory_bytes / 4 - least, store::kPartBytes));
  FetchLimits& limits = options.engine.fetch;
  limits.keep_free_bytes = std::min(CommitBytes(threshold), memory_bytes / 2);
  limits.call_bytes = std::clamp(memory_bytes / 64, kMiB, 2 * kMiB);
  options.pack_above_bytes = std::min(options.pack_above_bytes, memory_bytes / 4);
  limits.read_ahead_bytes = options.engine.rules.target_bytes * 9 / 8;
}

LakeService::LakeService(ServiceWorld world, ServiceOptions options)
    : world_(world),
      options_(std::move(options)),
      budget_(BudgetOf(options_.memory_bytes)),
      reporter_(world.metrics, world.health, world.log, world.board, world.clock),
      tasks_(world.loop),
      share_(world.loop,
             world.broker,
             {.sink = options_.sink.lease.sink,
              .instance = options_.sink.lease.instance,
              .queue_set = QueueSetName(options_.queues),
              .ttl = options_.sink.lease.ttl}) {}

io::Task<bool> LakeService::Run(std::stop_token drain, std::stop_token stop) {
  drain_ = std::move(drain);
  stop_ = std::move(stop);
  if (!options_.sink.prepare_rollback) {
    co_await share_.Exchange(0);  // before the first claim: who else is there
    tasks_.Add(KeepShare());
    tasks_.Add(GuardMemory());
  }
  for (const auto& queue : options_.queues) AddQueue(queue, options_.sink.start);
  if (options_.queues.empty()) tasks_.Add(FollowQueueSet());
  co_await tasks_.Join();
  co_return all_prepared_;
}

io::Task<bool> LakeService::Pause(io::Duration wait) {
  co_return co_await io::Sleep(world_.loop, wait, drain_);
}

io::Task<Result<std::vector<std::string>>> LakeService::ListQueues() {
  if (!begun_at_ && options_.sink.start.kind == Start::Kind::kLatest) {
    std::vector<queen::DiscoveryEntry> none;
    TIDEMARK_CO_TRY(const auto answer, co_await world_.broker.Discover(std::move(none)));
    begun_at_ = answer.safe_time;
  }
  co_return co_await world_.broker.ListQueues();
}

io::Task<void> LakeService::FollowQueueSet() {
  const io::Duration every =
      std::max<io::Duration>(std::chrono::seconds(1), 10 * options_.sink.discovery_interval);
  Start start = options_.sink.start;
  do {
    auto listed = co_await ListQueues();
    if (listed) {
      for (const auto& queue : *listed) AddQueue(queue, start);
      // A time, unlike "earliest", is kept from then on: no restart makes it "latest" again.
      if (begun_at_) start = {.kind = Start::Kind::kAt, .at = *begun_at_};
    } else {
      world_.log.Sampled("queues",
                         "the queues cannot be listed, keeping the set we have",
                         {{"error", listed.error().message}});
    }
    if (options_.sink.prepare_rollback) co_return;
  } while (co_await Pause(every));
}

io::Task<void> LakeService::KeepShare() {
  const io::Duration every = options_.sink.lease.ttl / 3;
  while (co_await Pause(every)) {
    const std::int64_t held = Held();
    co_await share_.Exchange(held);
    if (!drain_.stop_requested()) GiveBack();
  }
  co_await share_.Leave();
}

std::int64_t LakeService::Held() const {
  return std::ranges::count_if(lives_, [](const auto& entry) {
    return entry.second.sink != nullptr && entry.second.sink->holds_lease();
  });
}

// Those first that have least to read again, then by name.
void LakeService::GiveBack() {
  std::vector<std::tuple<std::int64_t, std::string_view, Life*>> held;
  for (auto& [queue, life] : lives_) {
    if (life.sink == nullptr || !life.sink->holds_lease()) continue;
    if (life.drain.stop_requested()) continue;
    held.emplace_back(life.sink->buffered_bytes(), queue, &life);
  }
  std::ranges::sort(held);
  auto surplus = share_.TakeSurplus(std::ssize(held), std::ssize(lives_));
  for (const auto& [bytes, queue, life] : held) {
    if (surplus-- <= 0) break;
    life->drain.request_stop();
    world_.metrics.Add(obs::Metric::kQueuesGivenBack, {});
  }
}

bool LakeService::MayAsk(Life& life) {
  const auto appetite = share_.AppetiteFor(Held() + asking_, std::ssize(lives_));
  ++life.asks;
  const bool may = appetite == FairShare::Appetite::kHungry ||
                   (appetite == FairShare::Appetite::kContent && life.asks % kContentAsks == 1) ||
                   life.asks % kFullAsks == 0;
  if (may) ++asking_;
  return may;
}

// A sink that waits for memory another one holds cannot help itself: the largest closes its window
// early.
io::Task<void> LakeService::GuardMemory() {
  const std::int64_t keep_free = options_.sink.engine.fetch.keep_free_bytes;
  while (co_await Pause(kGuardInterval)) {
    ReportMemory();
    if (budget_.Room(keep_free) > 2 * kMiB) continue;
    QueueSink* largest = nullptr;
    for (const auto& [queue, life] : lives_) {
      if (life.sink == nullptr) continue;
      if (largest == nullptr || life.sink->buffered_bytes() > largest->buffered_bytes())
        largest = life.sink;
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

void LakeService::AddQueue(const std::string& queue, const Start& start) {
  if (drain_.stop_requested() || !lives_.try_emplace(queue).second) return;
  world_.health.Track(queue);
  world_.board.OnTracked(queue);
  tasks_.Add(Supervise(queue, start));
}

SinkOptions LakeService::OptionsFor(const std::string& queue, const Start& start) {
  SinkOptions options = options_.sink;
  options.start = start;
  options.engine.queue = queue;
  options.commit.queue = queue;
  options.lease.queue = queue;
  options.commit.on_retry = [this, queue](std::string_view what, const Error& error, io::Duration) {
    reporter_.OnFault(queue, what, error);
  };
  options.commit.on_warning = [this, queue](std::string_view message) {
    world_.log.Warn(message, {{"queue", queue}});
  };
  if (!options.prepare_rollback) {
    options.lease.may_ask = [this, &life = lives_.at(queue)] { return MayAsk(life); };
    options.lease.on_asked = [this] { --asking_; };
  }
  options.lease.on_held_by_other = [this, queue](std::string_view holder) {
    OnHeldByOther(queue, holder);
    world_.log.Sampled("held",
                       "another instance holds the lease, waiting",
                       {{"queue", queue}, {"holder", holder}});
  };
  options.lease.on_precondition_lost = [this] {
    world_.metrics.Add(obs::Metric::kCommitPreconditionLost, {});
  };
  return options;
}

io::Task<Status> LakeService::RunOnce(const std::string& queue, const Start& start) {
  Life& life = lives_.at(queue);
  life = {};
  QueueSink sink({world_.lake(), budget_}, OptionsFor(queue, start), reporter_);
  life.sink = &sink;
  const std::stop_callback end_with_process(
      drain_, [source = life.drain]() mutable { source.request_stop(); });
  const std::stop_token drain = life.drain.get_token();
  Status ended = co_await sink.Run(drain, stop_);
  life.sink = nullptr;
  co_return ended;
}

void LakeService::OnGivenBack(const std::string& queue) {
  world_.log.Info("the queue is left to an instance that holds fewer", {{"queue", queue}});
  OnHeldByOther(queue, "another instance");
}

// From now on as good as one that was never held here.
void LakeService::OnHeldByOther(const std::string& queue, std::string_view holder) {
  world_.board.OnHeldByOther(queue, holder);
  world_.health.Forget(queue);
  world_.health.Track(queue);
}

// A queue that stops is as stale as before: that it begins again is no progress. But nothing is
// unread of one that the broker does not have (yet).
void LakeService::NoteHealth(const std::string& queue, ErrorCode stopped_by) {
  if (stopped_by == ErrorCode::kPreconditionFailed) return;
  const bool absent = stopped_by == ErrorCode::kNotFound;
  if (absent || stopped_by == ErrorCode::kAlreadyExists) {
    world_.health.Forget(queue);
    if (absent) world_.health.Track(queue);
  } else {
    world_.health.Fail(queue);
  }
}

void LakeService::LogStop(const std::string& queue,
                          const std::string& reason,
                          std::optional<io::Duration> again_in) {
  const std::string next =
      again_in ? fmt::format("tried again in {} s",
                             std::chrono::duration_cast<std::chrono::seconds>(*again_in).count())
               : "not tried again";
  world_.log.Error("the queue stopped", {{"queue", queue}, {"reason", reason}, {"next", next}});
}

// Lives of one queue's sink, one after the other (queen-interface 5.4).
io::Task<void> LakeService::Supervise(std::string queue, Start start) {
  while (!drain_.stop_requested()) {
    const Status ended = co_await RunOnce(queue, start);
    if (ended) co_return;
    if (ended.error().code == ErrorCode::kCancelled) {
      if (!drain_.stop_requested()) OnGivenBack(queue);
      continue;
    }
    const ErrorCode code = ended.error().code;
    world_.board.OnStopped(queue, ended.error().message);
    const bool for_good = code == ErrorCode::kAlreadyExists || options_.sink.prepare_rollback;
    const bool fenced = code == ErrorCode::kPreconditionFailed;
    const io::Duration wait = fenced ? options_.sink.lease.ttl : options_.restart_after;
    LogStop(queue, ended.error().message, for_good ? std::nullopt : std::optional(wait));
    all_prepared_ = all_prepared_ && !options_.sink.prepare_rollback;
    NoteHealth(queue, code);
    if (for_good || !co_await Pause(wait)) co_return;
  }
}

}  // namespace tidemark::lake

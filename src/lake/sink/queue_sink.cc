#include "lake/sink/queue_sink.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "io/ticks.h"
#include "lake/commit/checkpoints.h"
#include "lake/commit/prepare_rollback.h"
#include "lake/commit/shipped_since.h"
#include "lake/commit/store_names.h"
#include "lake/engine/lost_ranges.h"
#include "lake/sink/buffered_source.h"
#include "lake/sink/doubtful_losses.h"
#include "lake/sink/refusal.h"

namespace tidemark::lake {

namespace {

constexpr std::int64_t kWorthFinishingBytes = std::int64_t{1} << 20;
constexpr std::int64_t kWorthFinishingLag = 10 * kMicrosPerSecond;
constexpr int kCheckpointAttempts = 3;
constexpr io::Duration kBufferPollInterval = std::chrono::milliseconds(50);

}  // namespace

QueueSink::QueueSink(SinkWorld world, SinkOptions options, SinkEvents& events)
    : world_(world),
      options_(std::move(options)),
      events_(events),
      lease_(world.loop, world.broker, world.clock, world.random, options_.lease),
      context_{world.lake(), lease_, options_.commit},
      wake_(world.loop),
      tasks_(world.loop),
      complete_(context_, tasks_, std::chrono::microseconds(options_.engine.rules.window_us_max)) {}

io::Task<Status> QueueSink::Run(std::stop_token drain, std::stop_token stop) {
  context_.drain = drain;
  context_.stop = stop;
  TIDEMARK_CO_TRY_VOID(CheckQueueName(options_.commit));
  TIDEMARK_CO_TRY_VOID(co_await lease_.Claim(drain));
  Status ended = co_await RunWithLease();
  done_.request_stop();
  co_await tasks_.Join();
  co_await lease_.Release();
  if (lease_.loss() == LeaseLoss::kTakenByNamesake) {
    co_return Fail(
        ErrorCode::kAlreadyExists,
        fmt::format("another process of the instance name {} took the lease; give each its own "
                    "QUEEN_S3_INSTANCE",
                    options_.lease.instance));
  }
  co_return ended;
}

io::Task<Status> QueueSink::RunWithLease() {
  TIDEMARK_CO_TRY_VOID(co_await Begin());
  tasks_.Add(Tick());
  TIDEMARK_CO_TRY_VOID(co_await Serve());
  if (options_.prepare_rollback && !Draining()) {
    co_return co_await PrepareRollback(context_, documents_);
  }
  co_return co_await Drain();
}

io::Task<Status> QueueSink::Begin() {
  TIDEMARK_CO_TRY(RestartPoint point, co_await Restart(context_));
  documents_ = std::move(point.documents);
  complete_.Begin(documents_.committed_k());
  EngineStart start{.committed_k = documents_.committed_k(),
                    .t_prev = kMinusInfinity,
                    .checkpoint = std::move(point.checkpoint),
                    .redo = {}};
  if (start.checkpoint) {
    begun_at_ = start.checkpoint->k;
    checkpoint_k_ = begun_at_.value();
  }
  if (documents_.committed) {
    start.t_prev = documents_.committed->t_end;
  } else if (!point.redo) {
    TIDEMARK_CO_TRY(start.t_prev, co_await FixStart());
  } else if (options_.start.kind != Start::Kind::kEarliest) {
    start.t_prev = documents_.intent->window.start;
  }
  if (point.redo) {
    start.redo =
        EngineStart::Redo{.window = documents_.intent->window, .lost = documents_.intent->lost};
  }
  engine_.emplace(options_.engine, std::move(start), world_.budget);
  co_return Status();
}

// T_0 is durable before any lane is placed by it, so that a restart before the first window cannot
// move it.
io::Task<Result<Micros>> QueueSink::FixStart() {
  if (options_.start.kind == Start::Kind::kEarliest) co_return kMinusInfinity;
  Micros t_0 = options_.start.at;
  if (options_.start.kind == Start::Kind::kLatest) {
    auto ask = [&] { return world_.broker.Discover({}); };
    CommitContext begun_nothing = EndedByDrain(context_);
    auto answer = co_await Persist(begun_nothing, "discovery of the start", ask);
    if (!answer) co_return std::unexpected(answer.error());
    t_0 = answer->safe_time;
  }
  TIDEMARK_CO_TRY_VOID(co_await WriteStart(context_, documents_, t_0));
  co_return t_0;
}

io::Task<Status> QueueSink::Serve() {
  while (!Done()) {
    if (NeedsFirstCheckpoint()) co_await SaveFirstCheckpoint();
    if (NeedsFirstCheckpoint()) break;
    Act(engine_->Poll());
    if (engine_->fault()) StopFor(*engine_->fault());
    if (lease_.loss() != LeaseLoss::kNone) StopFor(lease_.LossReason());
    if (std::exchange(news_, false)) Report();
    co_await wake_;
  }
  if (failure_) co_return std::unexpected(*failure_);
  co_return Status();
}

bool QueueSink::Done() const {
  return Draining() || failure_ || (options_.prepare_rollback && !documents_.redo_pending());
}

// A checkpoint precedes the next intent: a lane without an entry is then known to be new (decision
// 8). The first window comes out of a Poll after the first complete pass, so the positions are
// still those of the start.
bool QueueSink::NeedsFirstCheckpoint() const {
  return checkpoint_k_ < 0 && !committing_ && !documents_.redo_pending() &&
         engine_->GuardedSafeTime() != kMinusInfinity && !engine_->seeking();
}

// Until it is written, or refused for good: that does not hold the windows up.
io::Task<void> QueueSink::SaveFirstCheckpoint() {
  co_await AwaitSaving();
  for (int attempt = 1; !Done() && NeedsFirstCheckpoint(); ++attempt) {
    const Status saved = co_await SaveCheckpoint(engine_->Positions(), 1);
    if (saved) co_return;
    if (!WorthRepeating(saved.error())) break;
    if (!co_await WaitToRepeat(context_, "checkpoint (first)", attempt, saved.error())) co_return;
  }
  if (!Done() && NeedsFirstCheckpoint()) checkpoint_k_ = 0;
}

// That of a redone window may be the first.
io::Task<void> QueueSink::AwaitSaving() {
  while (saving_) co_await wake_;
}

io::Task<void> QueueSink::Tick() {
  const std::stop_callback wake_on_drain(context_.drain,
                                         [this] { world_.loop.Post([this] { wake_.Notify(); }); });
  io::Ticks ticks(world_.loop, options_.discovery_interval);
  while (co_await ticks.Next(done_.get_token())) {
    engine_->OnInterval();
    wake_.Notify();
  }
}

void QueueSink::Act(EngineActions actions) {
  for (auto& call : actions.fetches) tasks_.Add(Fetch(std::move(call)));
  if (actions.discover) tasks_.Add(Discover(std::move(*actions.discover)));
  for (const auto& partition : actions.recreated) {
    events_.OnRecreated(options_.commit.queue, partition);
  }
  if (!actions.audit.empty()) tasks_.Add(Audit(std::move(actions.audit)));
  if (actions.plan) {
    committing_ = true;
    tasks_.Add(Commit(std::move(*actions.plan)));
  }
}

io::Task<void> QueueSink::Fetch(FetchCall call) {
  const queen::FetchEntry first = call.request.entries.front();
  auto answer = co_await world_.broker.Fetch(std::move(call.request));
  events_.OnFetch(options_.commit.queue, answer.has_value());
  if (answer) {
    if (const auto refused = RefusalOf(first, *answer)) {
      events_.OnFault(options_.commit.queue, "fetch", *refused);
      const auto wait = io::WaitAfter(options_.commit.backoff, 1, *refused, world_.random);
      co_await io::Sleep(world_.loop, wait, done_.get_token());
    }
    auto small = co_await MadeSmall(world_.lake(), Crowded(), std::move(*answer));
    engine_->OnFetch(call.id, std::move(small));
  } else {
    const bool too_large = answer.error().code == ErrorCode::kExhausted;
    if (!too_large) {
      events_.OnFault(options_.commit.queue, "fetch", answer.error());
      const auto wait = io::WaitAfter(options_.commit.backoff, 1, answer.error(), world_.random);
      co_await io::Sleep(world_.loop, wait, done_.get_token());
    }
    engine_->OnFetchFailed(call.id, too_large);
  }
  Wake();
}

io::Task<void> QueueSink::Discover(queen::DiscoveryEntry entry) {
  std::vector<queen::DiscoveryEntry> entries{std::move(entry)};
  auto answer = co_await world_.broker.Discover(std::move(entries));
  const bool usable = answer.has_value() && answer->entries.size() == 1;
  if (usable && answer->entries[0].error == queen::EntryError::kNone) {
    const auto& page = answer->entries[0];
    events_.OnDiscoveryPage(options_.commit.queue,
                            static_cast<std::int64_t>(page.partitions.size()),
                            answer->safe_time_degraded);
    engine_->OnDiscovery(page, answer->safe_time);
  } else if (usable && answer->entries[0].error == queen::EntryError::kUnknownPartition) {
    StopFor(
        {.code = ErrorCode::kNotFound,
         .message = fmt::format("queue {} does not exist at the broker", options_.commit.queue)});
  } else {
    const Error error = answer.has_value()
                            ? Error{.code = ErrorCode::kInternal, .message = "unusable page"}
                            : answer.error();
    events_.OnFault(options_.commit.queue, "discovery", error);
    const auto wait = io::WaitAfter(options_.commit.backoff, 1, error, world_.random);
    co_await io::Sleep(world_.loop, wait, done_.get_token());
    engine_->OnDiscoveryFailed();
  }
  Wake();
}

// What seems lost above an old checkpoint may have been shipped by the windows since.
io::Task<void> QueueSink::Audit(std::vector<std::string> partitions) {
  CommitContext context = context_;
  context.stop = done_.get_token();  // a drain does not wait for it
  auto shipped =
      co_await ShippedSince(context, documents_, begun_at_, std::move(partitions), world_.budget);
  if (shipped.has_value()) {
    engine_->OnAudited(*shipped);
    Wake();
  } else if (!done_.stop_requested()) {
    StopFor(std::move(shipped.error()));
  }
}

io::Task<void> QueueSink::Commit(Plan plan) {
  Status committed = co_await AwaitBuffers(plan);
  if (committed) committed = co_await CommitPlan(plan);
  // The engine goes on meanwhile: what the window held is its to use, not the checkpoint's.
  plan = {};
  buffers_ = {};
  committing_ = false;
  if (committed && CheckpointDue()) {
    saving_ = true;
    // Taken before anybody is woken: once the next plan is out they would be past its records.
    format::Checkpoint positions = engine_->Positions();
    Wake();
    const Status saved = co_await SaveCheckpoint(std::move(positions), kCheckpointAttempts);
    IgnoreError(saved, "a cache; its fault was told");
    saving_ = false;
  }
  if (!committed) StopFor(committed.error());
  Wake();
}

// Another queue's commit may hold the memory for object buffers: its end makes room.
io::Task<Status> QueueSink::AwaitBuffers(const Plan& plan) {
  std::int64_t& threshold = context_.options.multipart_threshold_bytes;
  threshold = options_.commit.multipart_threshold_bytes;
  if (Crowded()) threshold = std::min(threshold, kFrugalThresholdBytes);
  const std::int64_t bytes = CommitBytes(threshold) + (plan.from_log ? LogSource::kAnswerBytes : 0);
  while (true) {
    if (auto share = world_.budget.TryReserveBuffers(bytes)) {
      buffers_ = std::move(*share);
      context_.options.on_buffers = [this, bytes](std::int64_t held) {
        buffers_.Resize(std::max(bytes, held));
      };
      co_return Status();
    }
    if (!co_await io::Sleep(world_.loop, kBufferPollInterval, context_.stop)) {
      co_return Fail(ErrorCode::kCancelled, "wait for memory: told to stop");
    }
  }
}

io::Task<Status> QueueSink::CommitPlan(const Plan& plan) {
  if (plan.from_log) co_return co_await CommitFromLog(plan);
  for (const PlannedLane& lane : plan.lanes)
    TIDEMARK_CO_TRY_VOID(CheckLaneName(options_.commit, lane.partition));
  BufferedSource source(world_.loop, world_.pool, plan);
  WindowPlan what{.window = plan.window, .records = plan.facts.records, .lost = plan.lost};
  TIDEMARK_CO_TRY(auto window,
                  co_await CommitWindow(context_, documents_, std::move(what), source));
  window.holes = plan.holes;
  Settle(std::move(window), {}, {});
  co_return Status();
}

io::Task<Status> QueueSink::CommitFromLog(const Plan& plan) {
  LogSource source(context_, plan);
  const auto read = [&] { return source.CountRecords(); };
  TIDEMARK_CO_TRY(auto count, co_await Persist(context_, "fetch of a window's records", read));
  TIDEMARK_CO_TRY_VOID(
      co_await ForgetShipped(context_, documents_, begun_at_, world_.budget, plan, count));
  WindowPlan what{.window = plan.window, .records = count.records, .lost = plan.lost};
  what.lost.insert(what.lost.end(), count.lost.begin(), count.lost.end());
  if (plan.redo) {
    TIDEMARK_CO_TRY(auto window,
                    co_await RedoWindow(context_, documents_, std::move(what), source));
    window.holes = OffsetsIn(count.holes) - OffsetsIn(Without(count.holes, window.manifest.lost));
    Settle(std::move(window), count.positions, count.successors);
  } else if (count.records == 0) {
    engine_->OnNothingToCommit(count.positions, std::move(what.lost), count.successors);
  } else {
    TIDEMARK_CO_TRY(auto window,
                    co_await CommitWindow(context_, documents_, std::move(what), source));
    window.holes = plan.holes + OffsetsIn(count.holes);
    Settle(std::move(window), count.positions, count.successors);
  }
  co_return Status();
}

void QueueSink::Settle(CommittedWindow window,
                       const std::vector<format::Checkpoint::Position>& positions,
                       const std::vector<Successor>& successors) {
  engine_->OnCommitted(positions, std::move(window.lost_unreported), successors);
  events_.OnCommitted(options_.commit.queue, window);
  complete_.OnCommitted(window.manifest);
  complete_.Offer(engine_->CompleteThrough());
}

io::Task<Status> QueueSink::SaveCheckpoint(format::Checkpoint checkpoint, int attempts) {
  const std::int64_t k = checkpoint.k.value();
  Status saved = co_await WriteCheckpoint(context_, documents_, std::move(checkpoint), attempts);
  if (saved) {
    checkpoint_k_ = k;
  } else {
    events_.OnFault(options_.commit.queue, "checkpoint", saved.error());
  }
  co_return saved;
}

// Finishes the window under way, and the open one when that is worth it (queen-interface 16).
io::Task<Status> QueueSink::Drain() {
  if (!committing_ && WorthFinishing()) {
    co_await AwaitSaving();
    if (NeedsFirstCheckpoint()) {
      const Status saved = co_await SaveCheckpoint(engine_->Positions(), kCheckpointAttempts);
      IgnoreError(saved, "asked about below");
    }
    engine_->RequestClose();
    // What no checkpoint precedes is left to the next process.
    if (auto plan = NeedsFirstCheckpoint() ? std::nullopt : engine_->Poll().plan) {
      committing_ = true;
      tasks_.Add(Commit(std::move(*plan)));
    }
  }
  while (committing_) co_await wake_;
  if (failure_) co_return std::unexpected(*failure_);
  co_return Fail(ErrorCode::kCancelled, "drained");
}

bool QueueSink::WorthFinishing() {
  const EngineStats stats = engine_->Stats();
  if (stats.buffered_bytes >= kWorthFinishingBytes) return true;
  const Micros through = engine_->CompleteThrough();
  return stats.buffered_bytes > 0 && through != kMinusInfinity &&
         stats.newest_safe_time - through >= kWorthFinishingLag;
}

void QueueSink::Report() {
  const EngineStats stats = engine_->Stats();
  SinkProgress progress;
  progress.newest_safe_time = stats.newest_safe_time;
  if (documents_.committed) progress.committed_end = documents_.committed->t_end;
  progress.complete_through = engine_->CompleteThrough();
  progress.guarded_safe_time = engine_->GuardedSafeTime();
  progress.passes = stats.passes;
  progress.committed_k = documents_.committed_k().value();
  progress.lanes = stats.lanes;
  progress.buffered_bytes = stats.buffered_bytes;
  progress.committing_bytes = stats.committing_bytes;
  progress.checkpoint_age_windows =
      documents_.committed_k().value() - std::max<std::int64_t>(checkpoint_k_, 0);
  events_.OnProgress(options_.commit.queue, progress);
  complete_.Offer(progress.complete_through);
}

void QueueSink::StopFor(Error reason) {
  if (!failure_) failure_ = std::move(reason);
  Wake();
}

void QueueSink::RelieveMemory() {
  if (!engine_) return;
  engine_->RequestClose();
  Wake();
}

std::int64_t QueueSink::buffered_bytes() const {
  return engine_ ? engine_->Stats().buffered_bytes : 0;
}

}  // namespace tidemark::lake

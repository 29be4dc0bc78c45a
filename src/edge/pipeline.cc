#include "edge/pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "edge/clock_state.h"
#include "edge/segment/sink_check.h"
#include "edge/sink_settings.h"

namespace tidemark::edge {

namespace {

constexpr io::Duration kTick = std::chrono::seconds(1);

WalSync SyncOf(const std::string& name) {
  if (name == "each") return WalSync::kEach;
  return name == "none" ? WalSync::kNone : WalSync::kGroup;
}

// What the sinks' books know of logs that were.
Status ReadKnown(const PipelineConfig& config, io::FileSystem& files, WalOptions& options) {
  for (const ParquetSinkConfig& sink : config.sinks) {
    TIDEMARK_TRY(const auto known, ReadKnownPositions(files, SinkFolderOf(config, sink.id)));
    options.known_epoch = std::max(options.known_epoch, known.epoch);
    if (known.cursor_epoch > options.cursor_epoch) {
      options.cursor_epoch = known.cursor_epoch;
      options.cursor = known.cursor;
    } else if (known.cursor_epoch == options.cursor_epoch) {
      options.cursor = std::max(options.cursor, known.cursor);
    }
  }
  return {};
}

}  // namespace

Pipeline::Pipeline(const PipelineConfig& config, PipelineSettings settings, PipelineWorld world)
    : config_(config), settings_(std::move(settings)), world_(std::move(world)) {}

Result<std::unique_ptr<Pipeline>> Pipeline::Open(const PipelineConfig& config,
                                                 PipelineSettings settings,
                                                 PipelineWorld world) {
  std::unique_ptr<Pipeline> pipeline(new Pipeline(config, std::move(settings), std::move(world)));
  TIDEMARK_TRY_VOID(pipeline->CheckSchemas());
  TIDEMARK_TRY_VOID(pipeline->OpenWal());
  const Status opened = pipeline->OpenSinksAndSources();
  if (opened) return pipeline;
  pipeline->CloseLog();
  return std::unexpected(opened.error());
}

Status Pipeline::CheckSchemas() const {
  for (std::size_t i = 0; i < config_.sinks.size(); ++i) {
    const SinkOptions options = SettingsOf(config_, i, settings_.version);
    if (const Status fits = edge::CheckSchemas(world_.files, options); !fits) {
      return Annotate(fits.error(), "sink " + options.id);
    }
  }
  return {};
}

Status Pipeline::OpenSinksAndSources() {
  TIDEMARK_TRY_VOID(OpenSinks());
  TIDEMARK_TRY(sources_, settings_.make_sources(config_, *wal_, world_));
  return {};
}

void Pipeline::CloseLog() {
  const auto close = [this]() -> io::Task<void> {
    IgnoreError(co_await wal_->Close(), "nothing was appended");
    world_.loop.Stop();
  };
  io::Spawn(world_.loop, close());
  world_.loop.Run();
}

Status Pipeline::OpenWal() {
  WalOptions options;
  options.folder = config_.data_dir + "/wal";
  options.sync = SyncOf(config_.wal.sync);
  options.group_max_delay = std::chrono::milliseconds(config_.wal.group_max_delay_ms);
  options.group_max_bytes = config_.wal.group_max_bytes;
  options.segment_bytes = config_.wal.segment_bytes;
  options.max_bytes = config_.wal.max_bytes;
  options.max_record_bytes = config_.wal.max_record_bytes;
  options.stop = settings_.stop;
  TIDEMARK_TRY_VOID(ReadKnown(config_, world_.files, options));
  TIDEMARK_TRY(wal_,
               Wal::Open(std::move(options),
                         {.files = world_.files,
                          .clock = world_.clock,
                          .loop = world_.loop,
                          .pool = world_.wal_pool,
                          .clock_synced = ClockSynced(config_.clock_synced),
                          .on_written = [this](io::Duration took) {
                            world_.metrics.Observe(obs::Metric::kEdgeWalSyncSeconds,
                                                   std::chrono::duration<double>(took).count());
                          }}));
  for (const std::string& note : wal_->opening().notes) world_.note(note);
  return {};
}

Status Pipeline::OpenSinks() {
  for (std::size_t i = 0; i < config_.sinks.size(); ++i) {
    SinkOptions options = SettingsOf(config_, i, settings_.version);
    options.crash_at = settings_.crash_at;
    const auto open = [this, options = std::move(options)](const WalExtent& extent,
                                                           SinkCounters so_far) {
      return SegmentSink::Open(
          options, extent, {.files = world_.files, .note = world_.note}, std::move(so_far));
    };
    TIDEMARK_TRY(auto sink, SinkDriver::Open(world_, *wal_, open));
    sinks_.push_back(std::move(sink));
  }
  return {};
}

void Pipeline::Failed(const Status& status) {
  if (status || failure_) return;
  failure_ = status.error();
  stop_sources_.request_stop();
  for (const auto& sink : sinks_) sink->Stop();
}

io::Task<void> Pipeline::RunSource(Source& source) {
  const Status ended = co_await source.Run(stop_sources_.get_token());
  Failed(ended);
}

io::Task<void> Pipeline::RunSink(SinkDriver& sink) {
  const Status ended = co_await sink.Run();
  Failed(ended);
}

Position Pipeline::LowestWatermark() const {
  Position lowest = wal_->synced_through();
  for (const auto& sink : sinks_) lowest = std::min(lowest, sink->status().watermark);
  return lowest;
}

io::Task<Status> Pipeline::RemoveFromWal() {
  co_return co_await wal_->RemoveThrough(LowestWatermark());
}

void Pipeline::Observe() {
  times_.Note(wal_->synced_through(), world_.clock.Now());
  times_.Forget(LowestWatermark());
  health_.Observe(status());
}

// A data set that keeps half of the log must not fill all of it. Only sinks for which the oldest
// segment waits: the others would end a small file at every tick while one of these is stuck.
io::Task<Status> Pipeline::AdvanceThoseBehind() {
  const auto& segments = wal_->segments();
  const bool removable = segments.size() > 1;  // the last one is being written
  if (!removable || wal_->bytes() <= config_.wal.max_bytes / 2) co_return Status();
  const Position wanted = segments.front().last;
  for (const auto& sink : sinks_) {
    if (sink->status().watermark >= wanted) continue;
    TIDEMARK_CO_TRY_VOID(co_await sink->Advance());
  }
  co_return Status();
}

io::Task<Status> Pipeline::TickOnce() {
  for (const auto& sink : sinks_) TIDEMARK_CO_TRY_VOID(co_await sink->Tick());
  TIDEMARK_CO_TRY_VOID(co_await AdvanceThoseBehind());
  co_return co_await RemoveFromWal();
}

io::Task<void> Pipeline::RunTicks() {
  Observe();
  while (!failure_ && co_await io::Sleep(world_.loop, kTick, stop_ticks_.get_token())) {
    Observe();
    const Status ticked = co_await TickOnce();
    Failed(ticked);
  }
}

io::Task<Status> Pipeline::Run(std::stop_token drain) {
  const std::stop_callback on_drain(drain, [this] { stop_sources_.request_stop(); });
  wal_->OnFailure([this](const Error& error) { Failed(std::unexpected(error)); });
  io::TaskGroup sources(world_.loop);
  io::TaskGroup sinks(world_.loop);
  io::TaskGroup ticks(world_.loop);
  for (const auto& sink : sinks_) sinks.Add(RunSink(*sink));
  for (const auto& source : sources_) sources.Add(RunSource(*source));
  ticks.Add(RunTicks());
  co_await sources.Join();

  for (const auto& sink : sinks_) {
    const bool leaves = drain.stop_requested() && !sink->options().finalize_on_shutdown;
    leaves ? sink->Stop() : sink->Drain();
  }
  co_await sinks.Join();
  stop_ticks_.request_stop();
  co_await ticks.Join();
  for (const auto& sink : sinks_) {
    const bool leaves = drain.stop_requested() && !sink->options().finalize_on_shutdown;
    if (failure_ || leaves) continue;
    const Status finished = co_await sink->Finish();
    Failed(finished);
  }
  if (!failure_) {
    const Status removed = co_await RemoveFromWal();
    Failed(removed);
  }
  const Status closed = co_await wal_->Close();
  Failed(closed);
  if (failure_) co_return std::unexpected(*failure_);
  co_return Status();
}

SinkReport Pipeline::ReportOf(const SinkDriver& sink, Micros now) const {
  const SinkStatus& status = sink.status();
  std::optional<Micros> oldest = times_.FirstAfter(status.watermark);
  if (status.oldest_open) oldest = std::min(oldest.value_or(now), *status.oldest_open);
  return {.id = sink.options().id,
          .status = status,
          .lag_records = wal_->synced_through() - status.watermark,
          .oldest_age_us = oldest ? now - *oldest : 0,
          .disk_bytes_max = sink.options().disk_bytes_max,
          .reject_bytes_max = sink.options().reject_bytes_max,
          .max_age_us = sink.options().rotation.max_age_us};
}

PipelineStatus Pipeline::status() const {
  PipelineStatus status;
  status.now = world_.clock.Now();
  status.ticks = world_.loop.Now();
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    status.sources.push_back({.id = config_.sources[i].id,
                              .counters = sources_[i]->counters(),
                              .stuck = sources_[i]->stuck()});
  }
  for (const auto& sink : sinks_) {
    status.sinks.push_back(ReportOf(*sink, status.now));
  }
  status.wal = {.synced_through = wal_->synced_through(),
                .bytes = wal_->bytes(),
                .bytes_max = config_.wal.max_bytes,
                .counters = wal_->counters(),
                .withheld = wal_->withheld(),
                .writing_for = wal_->writing_for()};
  if (failure_) status.failure = failure_->message;
  return status;
}

}  // namespace tidemark::edge

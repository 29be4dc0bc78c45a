#include "edge/pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "edge/clock_state.h"
#include "edge/pipeline_sources.h"

namespace tidemark::edge {

namespace {

constexpr io::Duration kTick = std::chrono::seconds(1);

WalSync SyncOf(const std::string& name) {
  if (name == "each") return WalSync::kEach;
  return name == "none" ? WalSync::kNone : WalSync::kGroup;
}

std::string SinkPath(const PipelineConfig& config, const std::string& id) {
  return fmt::format("{}/sinks/{}", config.data_dir, id);
}

// What the sinks' books know of logs that were.
Status ReadKnown(const PipelineConfig& config, io::FileSystem& files, WalOptions& options) {
  for (const ParquetSinkConfig& sink : config.sinks) {
    TIDEMARK_TRY(const auto known, ReadKnownPositions(files, SinkPath(config, sink.id)));
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
  TIDEMARK_TRY_VOID(pipeline->OpenWal());
  const Status opened = pipeline->OpenSinksAndSources();
  if (opened) return pipeline;
  pipeline->CloseLog();
  return std::unexpected(opened.error());
}

Status Pipeline::OpenSinksAndSources() {
  TIDEMARK_TRY_VOID(OpenSinks());
  TIDEMARK_TRY(sources_, MakeSources(config_, *wal_, world_));
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
  TIDEMARK_TRY_VOID(ReadKnown(config_, world_.files, options));
  TIDEMARK_TRY(wal_,
               Wal::Open(std::move(options),
                         {.files = world_.files,
                          .clock = world_.clock,
                          .loop = world_.loop,
                          .pool = world_.wal_pool,
                          .clock_synced = ClockSynced(config_.clock_synced)}));
  for (const std::string& note : wal_->opening().notes) world_.note(note);
  return {};
}

SinkOptions Pipeline::OptionsFor(const ParquetSinkConfig& sink, bool first) const {
  SinkOptions options;
  options.id = sink.id;
  options.node_id = sink.node_id;
  options.folder = SinkPath(config_, sink.id);
  options.schemas_folder = fmt::format("{}/schemas/{}", config_.data_dir, sink.id);
  options.datasets = DatasetsOf(config_, sink);
  options.form = sink.form;
  options.form.created_by = "thadam " + settings_.version;
  options.rotation = sink.rotation;
  options.open_files_max = static_cast<std::size_t>(sink.max_open_files);
  options.disk_bytes_max = sink.max_disk;
  options.reject_bytes_max = sink.quarantine_max_disk;
  options.finalize_on_shutdown = sink.finalize_on_shutdown;
  options.config_hash = config_.config_hash;
  options.keeps_unmatched = first && config_.unmatched_quarantined;
  options.crash_at = settings_.crash_at;
  for (const DatasetSpec& spec : config_.datasets) {
    const bool own = std::ranges::find(sink.datasets, spec.id) != sink.datasets.end();
    if (!own) options.datasets_elsewhere.push_back(spec);
  }
  return options;
}

Status Pipeline::OpenSinks() {
  for (const ParquetSinkConfig& config : config_.sinks) {
    const auto open = [this,
                       options = OptionsFor(config, sinks_.empty())](const WalExtent& extent) {
      return SegmentSink::Open(options, extent, {.files = world_.files, .note = world_.note});
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

io::Task<Status> Pipeline::RemoveFromWal() {
  Position committed = wal_->synced_through();
  for (const auto& sink : sinks_) committed = std::min(committed, sink->status().watermark);
  co_return co_await wal_->RemoveThrough(committed);
}

io::Task<Status> Pipeline::TickOnce() {
  for (const auto& sink : sinks_) TIDEMARK_CO_TRY_VOID(co_await sink->Tick());
  // A data set that keeps half of the log must not fill all of it.
  if (wal_->bytes() > config_.wal.max_bytes / 2) {
    for (const auto& sink : sinks_) TIDEMARK_CO_TRY_VOID(co_await sink->Advance());
  }
  co_return co_await RemoveFromWal();
}

io::Task<void> Pipeline::RunTicks() {
  while (!failure_ && co_await io::Sleep(world_.loop, kTick, stop_ticks_.get_token())) {
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

PipelineStatus Pipeline::status() const {
  PipelineStatus status;
  status.now = world_.clock.Now();
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    status.sources.push_back({.id = config_.sources[i].id, .counters = sources_[i]->counters()});
  }
  for (const auto& sink : sinks_) {
    status.sinks.push_back({.id = sink->options().id, .status = sink->status()});
  }
  status.synced_through = wal_->synced_through();
  status.wal_bytes = wal_->bytes();
  status.wal_bytes_max = config_.wal.max_bytes;
  status.wal_withheld = wal_->withheld();
  status.wal = wal_->counters();
  if (failure_) status.failure = failure_->message;
  return status;
}

}  // namespace tidemark::edge

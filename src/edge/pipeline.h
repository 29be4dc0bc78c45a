#pragma once
// A running pipeline: sources, write-ahead log and sinks, joined on one loop.

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "edge/config/pipeline_config.h"
#include "edge/pipeline_health.h"
#include "edge/pipeline_sources.h"
#include "edge/pipeline_status.h"
#include "edge/pipeline_world.h"
#include "edge/position_times.h"
#include "edge/sink_driver.h"
#include "edge/source/source.h"
#include "edge/wal/wal.h"
#include "io/failpoints.h"

namespace tidemark::edge {

struct PipelineSettings {
  std::string version;  // of the program
  io::Failpoint crash_at = io::Failpoint::kNever;
  SourceMaker make_sources = MakeSources;
  // Requested while the log is being checked, Open ends with kCancelled.
  std::stop_token stop = {};
};

// Belongs to the loop's thread.
class Pipeline {
 public:
  // Blocking; before the loop runs: opens the log, recovers every sink, reads token files. `config`
  // has absolute paths, and nothing that NotBuilt names. kInvalidArgument: something it names is of
  // no use; kPreconditionFailed: a schema may not change so, and nothing was changed;
  // kCorruption: damaged state.
  static Result<std::unique_ptr<Pipeline>> Open(const PipelineConfig& config,
                                                PipelineSettings settings,
                                                PipelineWorld world);

  // Until all sources have ended and everything is finalized, or `drain` is requested; the first
  // failure ends it. The log is closed when it returns.
  io::Task<Status> Run(std::stop_token drain);

  // Any time between Open and destruction, on the loop's thread.
  PipelineStatus status() const;

  const PipelineHealth& health() const { return health_; }

 private:
  Pipeline(const PipelineConfig& config, PipelineSettings settings, PipelineWorld world);

  Status CheckSchemas() const;
  Status OpenWal();
  Status OpenSinks();
  Status OpenSinksAndSources();
  // A start that failed: runs the loop until the log is closed.
  void CloseLog();

  void Failed(const Status& status);
  io::Task<void> RunSource(Source& source);
  io::Task<void> RunSink(SinkDriver& sink);
  io::Task<void> RunTicks();
  io::Task<Status> TickOnce();
  io::Task<Status> AdvanceThoseBehind();
  io::Task<Status> RemoveFromWal();
  void Observe();
  Position LowestWatermark() const;
  SinkReport ReportOf(const SinkDriver& sink, Micros now) const;

  const PipelineConfig& config_;
  const PipelineSettings settings_;
  PipelineWorld world_;
  std::unique_ptr<Wal> wal_;
  std::vector<std::unique_ptr<Source>> sources_;
  std::vector<std::unique_ptr<SinkDriver>> sinks_;
  std::stop_source stop_sources_;
  std::stop_source stop_ticks_;
  std::optional<Error> failure_;
  PositionTimes times_;
  PipelineHealth health_;
};

}  // namespace tidemark::edge

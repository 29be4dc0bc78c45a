#pragma once
// What GET /healthz says of a pipeline: red while intake or a sink stands still, so that a process
// that is up and collects nothing is noticed.

#include <map>
#include <string>

#include "edge/pipeline_status.h"
#include "obs/health.h"

namespace tidemark::edge {

// Belongs to the loop's thread.
class PipelineHealth {
 public:
  // A sink that has something to do and does nothing, a write of the log that does not end: red
  // after so long.
  static constexpr io::Duration kPatience = std::chrono::seconds(60);

  // To be told every second or so; keeps when each sink last got further.
  void Observe(const PipelineStatus& status);

  // 200 {"ok":true,"sources":n,"sinks":n}, or 503 {"ok":false,"reason":"..."} with what stands
  // still and why: a failed or full log, a source that cannot read, a sink without room or without
  // progress.
  obs::HealthAnswer Check(const PipelineStatus& status) const;

  // The reason alone; empty: everything goes on.
  std::string Stuck(const PipelineStatus& status) const;

 private:
  struct Progress {
    Position read;
    Position watermark;
    io::Duration at{};
  };

  std::string StuckSink(const SinkReport& sink, const PipelineStatus& status) const;

  std::map<std::string, Progress> sinks_;
};

}  // namespace tidemark::edge

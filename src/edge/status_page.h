#pragma once
// The status page of a running pipeline, in the form of the lake's. Pure.

#include <string>

#include "edge/pipeline_status.h"

namespace tidemark::edge {

// What does not change while a process runs.
struct PageFacts {
  std::string version;
  std::string node_id;
  std::string data_dir;
  std::string config_hash;
  Micros started_at;
};

// A whole document in UTF-8. `stuck` is why /healthz is red; empty: it is green.
std::string RenderStatusPage(const PipelineStatus& status,
                             const PageFacts& facts,
                             const std::string& stuck);

}  // namespace tidemark::edge

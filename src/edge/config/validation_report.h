#pragma once
// What `tidemark validate` prints of a pipeline file that is right.

#include <string>
#include <vector>

#include "edge/config/pipeline_config.h"

namespace tidemark::edge {

// What there is of what a start would open.
struct StateReport {
  std::vector<std::string> facts;
  std::vector<std::string> faults;
  int exit_code = 0;  // of a start
};

// Effective configuration as YAML, then schemas, plans and `config_hash: <hex>` as comments and
// lines of their own. `state` is left out when there is none.
std::string ValidationText(const PipelineConfig& config, const StateReport* state = nullptr);

// {"config_hash", "effective", "datasets": [{"id", "sink", "schema_fp", "columns": [...]}],
// "memory", "disk", "warnings", "run_refuses", "state": {"facts", "faults"}} and a line feed.
std::string ValidationJson(const PipelineConfig& config, const StateReport* state = nullptr);

}  // namespace tidemark::edge

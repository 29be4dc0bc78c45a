#pragma once
// What `tidemark validate` prints of a pipeline file that is right.

#include <string>

#include "edge/config/pipeline_config.h"

namespace tidemark::edge {

// Effective configuration as YAML, then schemas, plans and `config_hash: <hex>` as comments and
// lines of their own.
std::string ValidationText(const PipelineConfig& config);

// {"config_hash", "effective", "datasets": [{"id", "sink", "schema_fp", "columns": [...]}],
// "memory", "disk", "warnings", "not_built"} and a line feed.
std::string ValidationJson(const PipelineConfig& config);

}  // namespace tidemark::edge

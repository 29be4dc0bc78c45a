#pragma once
// Paths as a process will use them, wherever it was started.

#include "edge/config/pipeline_config.h"

namespace tidemark::edge {

PipelineConfig WithAbsolutePaths(PipelineConfig config);

}  // namespace tidemark::edge

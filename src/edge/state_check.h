#pragma once
// Opens what a start would open, read-only: the write-ahead log, each sink's catalog, cursor,
// rejects and schemas, token files, input files (complaint C63: what validates must start).

#include "edge/config/pipeline_config.h"
#include "edge/config/validation_report.h"
#include "io/file_system.h"

namespace tidemark::edge {

// Blocking; safe beside a running process. The paths in `config` are absolute. The exit code is the
// one that `run` would end with.
StateReport CheckState(const PipelineConfig& config, io::FileSystem& files);

}  // namespace tidemark::edge

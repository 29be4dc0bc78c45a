#pragma once
// `tidemark run`: a pipeline from its configuration to the end of the process.

#include <stop_token>
#include <string>

#include "edge/config/pipeline_config.h"
#include "io/failpoints.h"

namespace tidemark::edge {

// Runs until every source has ended and everything is finalized, or until `drain`, or a failure.
// Tells what happens on standard error; returns the exit code.
int RunPipelineProcess(const PipelineConfig& config,
                       const std::string& version,
                       io::Failpoint crash_at,
                       std::stop_token drain);

}  // namespace tidemark::edge

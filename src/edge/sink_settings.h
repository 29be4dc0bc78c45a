#pragma once
// What a sink of the pipeline file is opened with.

#include <string>

#include "edge/config/pipeline_config.h"
#include "edge/segment/sink_options.h"

namespace tidemark::edge {

// Where the sink of that id keeps everything.
std::string SinkFolderOf(const PipelineConfig& config, const std::string& id);

// Of `config.sinks[index]`; the paths in `config` are absolute.
SinkOptions SettingsOf(const PipelineConfig& config, std::size_t index, const std::string& version);

}  // namespace tidemark::edge

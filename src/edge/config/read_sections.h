#pragma once
// The sections of the pipeline file, each read and checked by itself.

#include <optional>
#include <string>
#include <string_view>

#include "edge/config/pipeline_config.h"
#include "edge/config/yaml_map.h"
#include "io/socket_address.h"

namespace tidemark::edge {

// The whole file.
void ReadRoot(YamlMap& root, PipelineConfig& config);

// [A-Za-z0-9._-]{1,64}, not beginning with a dot; else a fault at `key`.
void CheckName(YamlMap& map, const std::string& key, const std::string& name);

// A fault at `listen` when `text` is no address and port. An empty one is missing, as was said.
std::optional<io::SocketAddress> CheckListen(YamlMap& map, const std::string& text);

SourceConfig ReadSource(YamlMap map);
// Also checks ids, names, pointers, templates and what the payload's kind allows.
DatasetSpec ReadDataset(YamlMap map);
FieldSpec ReadField(YamlMap& map);

// A sink of either kind goes into the configuration.
void ReadSink(YamlMap map, PipelineConfig& config);

}  // namespace tidemark::edge

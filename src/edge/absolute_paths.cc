#include "edge/absolute_paths.h"

#include <filesystem>

namespace tidemark::edge {

PipelineConfig WithAbsolutePaths(PipelineConfig config) {
  config.data_dir = std::filesystem::absolute(config.data_dir).lexically_normal();
  while (config.data_dir.size() > 1 && config.data_dir.ends_with('/')) config.data_dir.pop_back();
  for (SourceConfig& source : config.sources) {
    for (std::string& path : source.paths) path = std::filesystem::absolute(path);
    if (!source.token_file.empty())
      source.token_file = std::filesystem::absolute(source.token_file);
  }
  return config;
}

}  // namespace tidemark::edge

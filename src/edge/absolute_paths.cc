#include "edge/absolute_paths.h"

#include <filesystem>

namespace tidemark::edge {

PipelineConfig WithAbsolutePaths(PipelineConfig config) {
  config.data_dir = std::filesystem::absolute(config.data_dir).lexically_normal();
  while (config.data_dir.size() > 1 && config.data_dir.ends_with('/')) config.data_dir.pop_back();
  for (SourceConfig& source : config.sources) {
    for (std::string& path : source.paths) path = std::filesystem::absolute(path);
    for (std::string* path :
         {&source.token_file, &source.tls_certificate_file, &source.tls_key_file}) {
      if (!path->empty()) *path = std::filesystem::absolute(*path);
    }
  }
  return config;
}

}  // namespace tidemark::edge

// edge/config: the pipeline file. What is taken is taken again as the effective configuration says
// it.

#include <string>
#include <string_view>

#include "base/check.h"
#include "edge/config/pipeline_config.h"

namespace tidemark::fuzz {

void PipelineFile(std::string_view bytes) {
  const auto config = edge::ParsePipeline(bytes, "fuzz.yaml");
  if (!config) return;
  const auto again = edge::ParsePipeline(config->effective, "effective.yaml");
  TIDEMARK_CHECK(again.has_value(), "{}\n{}", again.error().message, config->effective);
  TIDEMARK_CHECK(again->effective == config->effective, "{}", config->effective);
  TIDEMARK_CHECK(again->config_hash == config->config_hash, "{}", config->effective);
}

}  // namespace tidemark::fuzz

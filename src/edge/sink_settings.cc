#include "edge/sink_settings.h"

#include <fmt/format.h>

#include <algorithm>

namespace tidemark::edge {

std::string SinkFolderOf(const PipelineConfig& config, const std::string& id) {
  return fmt::format("{}/sinks/{}", config.data_dir, id);
}

SinkOptions SettingsOf(const PipelineConfig& config,
                       std::size_t index,
                       const std::string& version) {
  const ParquetSinkConfig& sink = config.sinks[index];
  SinkOptions options;
  options.id = sink.id;
  options.node_id = sink.node_id;
  options.folder = SinkFolderOf(config, sink.id);
  options.schemas_folder = fmt::format("{}/schemas/{}", config.data_dir, sink.id);
  options.datasets = DatasetsOf(config, sink);
  options.form = sink.form;
  options.form.created_by = "thadam " + version;
  options.rotation = sink.rotation;
  options.open_files_max = static_cast<std::size_t>(sink.max_open_files);
  options.disk_bytes_max = sink.max_disk;
  options.reject_bytes_max = sink.quarantine_max_disk;
  options.finalize_on_shutdown = sink.finalize_on_shutdown;
  options.config_hash = config.config_hash;
  options.keeps_unmatched = index == 0;
  options.drops_unmatched = !config.unmatched_quarantined;
  for (const DatasetSpec& spec : config.datasets) {
    const bool own = std::ranges::find(sink.datasets, spec.id) != sink.datasets.end();
    if (!own && IsConsumed(config, spec)) options.datasets_elsewhere.push_back(spec);
  }
  return options;
}

}  // namespace tidemark::edge

#include "lake/commit/store_names.h"

#include "format/object_key.h"

namespace tidemark::lake {

Status CheckQueueName(const CommitOptions& options) {
  if (!options.names_are_files) return {};
  return format::CheckNameFits(options.queue);
}

Status CheckLaneName(const CommitOptions& options, std::string_view partition) {
  if (!options.names_are_files || options.form.layout != format::Layout::kPerPartition) return {};
  return format::CheckLaneNameFits(options.form, partition);
}

}  // namespace tidemark::lake

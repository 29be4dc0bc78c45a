#include "edge/segment/sink_check.h"

#include <fmt/format.h>

#include "edge/dataset/dataset_schema.h"
#include "edge/segment/ready_files.h"
#include "edge/segment/schema_evolution.h"
#include "edge/segment/sink_books.h"
#include "format/segment_name.h"

namespace tidemark::edge {

Status CheckSchemas(io::FileSystem& files, const SinkOptions& options) {
  SinkFolder schemas(files, options.schemas_folder);
  for (const DatasetSpec& spec : options.datasets) {
    const std::string name = format::DatasetFolder(spec.id, spec.version);
    TIDEMARK_TRY_VOID(CheckKeptSchema(schemas, name, SchemaOf(spec, options.form)));
  }
  return {};
}

Result<std::string> CheckSink(io::FileSystem& files,
                              const SinkOptions& options,
                              std::optional<Epoch> wal) {
  SinkFolder folder(files, options.folder);
  TIDEMARK_TRY(const auto there, files.SizeOf(folder.Sub("catalog.log")));
  TIDEMARK_TRY(const auto cursor, LoadCursor(folder));
  std::vector<std::string> notes;
  TIDEMARK_TRY(const auto catalog, ReadCatalog(folder, notes));
  TIDEMARK_TRY_VOID(RejectLog::Check(folder, cursor));
  if (wal) TIDEMARK_TRY_VOID(CheckEpoch(folder, cursor, catalog, *wal));
  if (!there) return fmt::format("sink {}: a start makes it in {}", options.id, options.folder);
  std::int64_t bytes = 0;
  for (const auto& [path, file] : catalog.files()) bytes += file.finalized.bytes;
  return fmt::format("sink {}: watermark {}, {} segments of {} bytes in ready/",
                     options.id,
                     cursor ? cursor->Watermark().value() : 0,
                     catalog.files().size(),
                     bytes);
}

}  // namespace tidemark::edge

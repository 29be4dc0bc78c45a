#include <algorithm>

#include "edge/segment/ready_files.h"
#include "edge/segment/sink_books.h"
#include "format/log_frame.h"

namespace tidemark::edge {

namespace {

// The highest epoch in the whole frames of a catalog, which is not changed.
Result<Epoch> CatalogEpoch(SinkFolder& folder) {
  TIDEMARK_TRY(const auto bytes, ReadWhole(folder.files, folder.Sub("catalog.log")));
  Epoch highest;
  std::string_view rest = bytes ? std::string_view(*bytes) : std::string_view();
  if (!rest.starts_with(format::kCatalogMagic)) return highest;
  rest.remove_prefix(format::kCatalogMagic.size());
  while (const auto body = format::TakeLogFrame(rest)) {
    TIDEMARK_TRY(const auto record, format::DecodeCatalogRecord(*body));
    if (const auto* r = std::get_if<format::FinalizedRecord>(&record)) {
      highest = std::max(highest, r->epoch);
    } else if (const auto* c = std::get_if<format::CoverageRecord>(&record)) {
      highest = std::max(highest, c->epoch);
    }
  }
  return highest;
}

}  // namespace

Result<KnownPositions> ReadKnownPositions(io::FileSystem& files, const std::string& path) {
  SinkFolder folder(files, path);
  KnownPositions known;
  TIDEMARK_TRY(const auto cursor, LoadCursor(folder));
  if (cursor) {
    known.cursor_epoch = cursor->epoch;
    for (const auto& [dataset, position] : cursor->coverage) {
      known.cursor = std::max(known.cursor, position);
    }
  }
  TIDEMARK_TRY(const Epoch catalog, CatalogEpoch(folder));
  known.epoch = std::max(known.cursor_epoch, catalog);
  std::vector<std::string> notes;
  TIDEMARK_TRY(const auto ready, ListReady(folder, notes));
  for (const ReadyFile& file : ready) known.epoch = std::max(known.epoch, file.name.epoch);
  return known;
}

}  // namespace tidemark::edge

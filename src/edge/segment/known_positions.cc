#include <algorithm>
#include <map>

#include "edge/segment/ready_files.h"
#include "edge/segment/sink_books.h"

namespace tidemark::edge {

namespace {

// The furthest position of each epoch.
using Furthest = std::map<Epoch, Position>;

void Note(Epoch epoch, Position position, Furthest& furthest) {
  Position& known = furthest[epoch];
  known = std::max(known, position);
}

void NoteCatalog(const format::CatalogState& catalog, Furthest& furthest) {
  for (const auto& record : catalog.Snapshot()) {
    if (const auto* r = std::get_if<format::FinalizedRecord>(&record)) {
      Note(r->epoch, r->range.last, furthest);
    } else if (const auto* c = std::get_if<format::CoverageRecord>(&record)) {
      Note(c->epoch, c->range.last, furthest);
    }
  }
}

}  // namespace

Result<KnownPositions> ReadKnownPositions(io::FileSystem& files, const std::string& path) {
  SinkFolder folder(files, path);
  Furthest furthest;
  TIDEMARK_TRY(const auto cursor, LoadCursor(folder));
  if (cursor) {
    for (const auto& [dataset, position] : cursor->coverage) {
      Note(cursor->epoch, position, furthest);
    }
  }
  std::vector<std::string> notes;
  TIDEMARK_TRY(const auto catalog, ReadCatalog(folder, notes));
  NoteCatalog(catalog, furthest);
  TIDEMARK_TRY(const auto ready, ListReady(folder, notes));
  for (const ReadyFile& file : ready) Note(file.name.epoch, file.name.range.last, furthest);
  KnownPositions known;
  if (furthest.empty()) return known;
  known.epoch = furthest.rbegin()->first;
  known.cursor_epoch = cursor ? cursor->epoch : known.epoch;
  known.cursor = furthest[known.cursor_epoch];
  return known;
}

}  // namespace tidemark::edge

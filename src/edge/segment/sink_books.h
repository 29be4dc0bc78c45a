#pragma once
// What a sink has promised so far, on disk: catalog, cursor, rejects. Recovery sets it right after
// a crash; finalizing adds to it.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "edge/segment/catalog_log.h"
#include "edge/segment/cursor_file.h"
#include "edge/segment/durable_file.h"
#include "edge/segment/reject_log.h"
#include "edge/segment/sink_options.h"

namespace tidemark::edge {

// The cursor's name for the records that no data set takes.
inline constexpr char kUnmatchedLane[] = "";

struct SinkBooks {
  explicit SinkBooks(io::FileSystem& files, const std::string& path) : folder(files, path) {}

  // Moves the coverage of a data set up, durably; the rejects up to there are durable already.
  Status CommitCursor(const std::string& dataset, Position through);

  // Of all files in the catalog.
  std::int64_t ready_bytes() const;

  SinkFolder folder;
  std::unique_ptr<CatalogLog> catalog;
  std::unique_ptr<RejectLog> rejects;
  format::SinkCursor cursor;
};

// Removes staging/, replays the catalog, settles files and coverage, drops rejects that will be
// decided again (recovery.cc is the numbered form). `datasets` are the folders of the sink's data
// sets. kCorruption: damaged books, or a cursor of a later epoch than the log's.
Result<std::unique_ptr<SinkBooks>> RecoverSink(const std::string& path,
                                               const std::vector<std::string>& datasets,
                                               bool keeps_unmatched,
                                               const WalExtent& wal,
                                               const SinkWorld& world);

// What a sink's books may know beside a log of `wal`: nothing later. kCorruption else.
Status CheckEpoch(const SinkFolder& folder,
                  const std::optional<format::SinkCursor>& cursor,
                  const format::CatalogState& catalog,
                  Epoch wal);

// Takes files that somebody removed out of the catalog: it must not promise them.
Status DropMissing(SinkBooks& books, const SinkWorld& world);

// The highest epoch that the sink's cursor, catalog or file names know; and the cursor's epoch, or,
// when the cursor is lost, the highest, with the furthest position that any of them knows of it:
// what a write-ahead log is opened with. Reads only.
struct KnownPositions {
  Epoch epoch;
  Epoch cursor_epoch;
  Position cursor;
};

Result<KnownPositions> ReadKnownPositions(io::FileSystem& files, const std::string& path);

}  // namespace tidemark::edge

#pragma once
// Opens a log for writing (docs/formats/wal.md, "Opening"). Blocking.

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "edge/wal/log_scan.h"
#include "edge/wal/segment_writer.h"
#include "edge/wal/wal.h"
#include "edge/wal/wal_options.h"
#include "format/wal_segment.h"

namespace tidemark::edge {

struct OpenedLog {
  Epoch epoch;
  Position end;  // every position up to here is on disk
  format::TokenTable tokens;
  std::vector<WalSegment> segments;  // the last one is `writer`'s
  SegmentWriter writer;
  WalOpening opening;
};

// Whoever holds it is the one process that may write the log. kAlreadyExists: another one does.
Result<std::unique_ptr<io::File>> LockLog(io::FileSystem& files, const std::string& folder);

// kCorruption for damage at or below what was durable. What is done is safe to be done again after
// a crash in the middle.
Result<OpenedLog> OpenLog(io::FileSystem& files, const WalOptions& options, Micros now);

// One line for a damaged log: what is wrong first, and how much else.
Error DamageError(const LogScan& scan);

}  // namespace tidemark::edge

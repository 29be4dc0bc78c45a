#pragma once
// Goes through the records of a scanned log, and prints them and what the scan found.

#include <functional>
#include <string>

#include "base/result.h"
#include "edge/wal/log_scan.h"
#include "format/wal_record.h"
#include "format/wal_segment.h"
#include "io/file_system.h"

namespace tidemark::edge {

// Sees every record from `from` on in order of positions, as far as groups are whole; ends when it
// gives false.
using RecordVisitor = std::function<bool(const format::WalRecord& record)>;
Status WalkRecords(io::FileSystem& files,
                   const LogScan& scan,
                   Position from,
                   const RecordVisitor& visit);

// The latest places as of the end of the whole groups of the segment; of one whose header is
// damaged, those of the segment before it.
Result<format::TokenTable> TokensAtEnd(io::FileSystem& files,
                                       const LogScan& scan,
                                       std::size_t segment);

// A line of JSON, with its line feed: `payload` where it is UTF-8, else `payload_base64`.
std::string RecordLine(const format::WalRecord& record);

// What there is, segment by segment, and what is wrong; for people.
std::string ScanText(const std::string& folder, const LogScan& scan);

}  // namespace tidemark::edge

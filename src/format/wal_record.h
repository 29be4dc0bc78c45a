#pragma once
// A record of the write-ahead log: what a source took in, before any data set has looked at it.

#include <cstdint>
#include <string_view>

#include "base/strong_int.h"
#include "base/time.h"

namespace tidemark::format {

// Positions as file names, footers and the catalog write them: both ends inclusive. Empty when
// `last` lies before `first`.
struct PositionRange {
  Position first;
  Position last;

  bool operator==(const PositionRange&) const = default;

  std::int64_t count() const { return last - first + 1; }
};

// One record, borrowed: the views live as long as the buffer they were cut from.
struct WalRecord {
  Position position;
  Micros ingest_time;  // taken once, when the record entered the log
  bool clock_synced = false;

  std::string_view source;   // the id of a source in the pipeline file
  std::string_view topic;    // UTF-8
  std::string_view token;    // how far the source has read (format/source_token.h); may be empty
  std::string_view payload;  // any bytes
  // Size of what came in when it was larger than a record may be and `payload` is only its head;
  // else 0. Such a record is a reject with the reason `size`.
  std::uint64_t full_bytes = 0;
};

}  // namespace tidemark::format

#pragma once
// A record of the write-ahead log: what a source took in, before any data set has looked at it.

#include <string_view>

#include "base/strong_int.h"
#include "base/time.h"

namespace tidemark::format {

// One record, borrowed: the views live as long as the buffer they were cut from.
struct WalRecord {
  Position position;
  Micros ingest_time;  // taken once, when the record entered the log
  bool clock_synced = false;

  std::string_view source;   // the id of a source in the pipeline file
  std::string_view topic;    // UTF-8
  std::string_view token;    // the source's own mark of how far it has read; may be empty
  std::string_view payload;  // any bytes
};

}  // namespace tidemark::format

#pragma once
// What a sink has come to.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/strong_int.h"

namespace tidemark::edge {

// Since the sink was first opened by this process.
struct SinkCounters {
  // What a record came to for a data set (its folder): a reject, or rows without so many fields. In
  // the order of positions; a record that comes again after a full disk is judged again, and counts
  // no second time.
  void CountJudged(const std::string& dataset,
                   Position position,
                   std::int64_t unknown_fields,
                   std::string_view reject_reason);

  std::int64_t rows = 0;  // in finalized files
  std::int64_t files = 0;
  std::int64_t file_bytes = 0;
  std::int64_t coverage_markers = 0;
  std::int64_t unknown_dropped = 0;
  std::map<std::string, std::int64_t, std::less<>> rejects = {};      // by reason
  std::map<std::string, Position, std::less<>> counted_through = {};  // by data set
};

}  // namespace tidemark::edge

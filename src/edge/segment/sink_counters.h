#pragma once
// What a sink has come to.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/strong_int.h"
#include "format/catalog_state.h"

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

  void CountFile(const format::FinalizedRecord& file);

  // To be called when a sink has recovered: files of the data set up to its coverage that a sink
  // before it finalized without coming to count them. None the first time.
  void CountUncounted(const format::CatalogState& catalog,
                      const std::string& dataset,
                      Epoch epoch,
                      Position coverage);

  std::int64_t rows = 0;  // in finalized files
  std::int64_t files = 0;
  std::int64_t file_bytes = 0;
  std::int64_t coverage_markers = 0;
  std::int64_t unknown_dropped = 0;
  std::map<std::string, std::int64_t, std::less<>> rejects = {};      // by reason
  std::map<std::string, Position, std::less<>> counted_through = {};  // by data set
  std::map<std::string, Position, std::less<>> files_through = {};    // by data set
};

}  // namespace tidemark::edge

#pragma once
// Data objects, read back: for verify, inspect, redo adoption. Independent of the writers' code
// paths where that matters: JSONL is parsed as JSON, Parquet through the library's reader.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "format/record.h"

namespace tidemark::datafile {

// Views are valid during the call. Return false to stop early.
using RecordVisitor = std::function<bool(const format::RecordView& record)>;

struct ReadSummary {
  std::int64_t records = 0;
  // Parquet only.
  std::optional<std::string> footer_queue;
  std::optional<std::string> footer_envelope;
  std::string created_by;
};

// Reads one whole object; `extension` as of format::Extension. kCorruption names the record or page
// that is damaged.
Result<ReadSummary> ReadObject(std::string_view extension,
                               std::string_view bytes,
                               const RecordVisitor& visit);

}  // namespace tidemark::datafile

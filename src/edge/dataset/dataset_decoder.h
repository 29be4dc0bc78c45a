#pragma once
// Records become rows of one data set: route, decode, convert (docs/pipeline.md, "Data sets"). A
// record is taken whole or not at all. In a steady state, a row allocates nothing.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "datafile/column_buffer.h"
#include "datafile/segment_form.h"
#include "edge/dataset/dataset_spec.h"
#include "edge/dataset/reject.h"
#include "format/segment_schema.h"
#include "format/wal_record.h"

namespace tidemark::edge {

struct DecodeOutcome {
  std::optional<Reject> reject;  // then no row was added
  // Leaves that nobody declared and `unknown: lenient` dropped.
  std::int64_t unknown_dropped = 0;
};

// The span of event times; empty at first.
struct EventTimeSpan {
  std::optional<Micros> min;
  std::optional<Micros> max;

  void Add(Micros time);
  void Add(const EventTimeSpan& other);
};

// The rows of one record may take this much memory together, and one row or a mebibyte more; a
// record that explodes into more is rejected with `size`.
inline constexpr std::size_t kRecordRowBytesMax = std::size_t{64} << 20;

// Not thread-safe.
class DatasetDecoder {
 public:
  // kInvalidArgument: a pointer or a template of the declaration does not parse.
  static Result<std::unique_ptr<DatasetDecoder>> Create(const DatasetSpec& spec,
                                                        const std::string& node_id,
                                                        const datafile::SegmentForm& form);
  ~DatasetDecoder();

  const DatasetSpec& spec() const;
  const format::SegmentSchema& schema() const;

  // The data set's `match` takes the record.
  bool Takes(const format::WalRecord& record) const;

  // Appends the record's rows to `batch` (of schema()) and their event times to `span`. 64 bytes
  // behind the payload must be readable.
  DecodeOutcome Decode(const format::WalRecord& record,
                       datafile::ColumnBatch& batch,
                       EventTimeSpan& span);

 private:
  class Impl;
  explicit DatasetDecoder(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace tidemark::edge

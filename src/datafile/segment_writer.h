#pragma once
// Typed Parquet segments, written as a stream: columns in, bytes out (segments contract: "Writer
// settings"; docs/formats/segments.md). The bytes are a pure function of schema, form, batches and
// footer.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/digest.h"
#include "base/result.h"
#include "datafile/column_buffer.h"
#include "datafile/segment_form.h"
#include "format/segment_footer.h"
#include "format/segment_schema.h"

namespace tidemark::datafile {

struct SegmentStats {
  std::int64_t bytes = 0;
  std::int64_t rows = 0;
  Sha256Digest sha256{};
};

// Not thread-safe; may move between threads. Destroyed without Finish, what was taken is no file.
class SegmentWriter {
 public:
  virtual ~SegmentWriter() = default;

  // Adds the batch's rows, at least one. A row group ends with the first batch that fills it.
  virtual Status Write(const ColumnBatch& batch) = 0;

  virtual std::int64_t rows() const = 0;

  // Bytes of the file so far, and what the open row group would add to it.
  virtual std::int64_t file_bytes() const = 0;

  // Moves the bytes finished so far out; call it whenever pending_bytes() is worth a write.
  virtual std::string TakeBytes() = 0;
  virtual std::size_t pending_bytes() const = 0;
  // Bytes held in buffers now, pending bytes included.
  virtual std::size_t memory_bytes() const = 0;

  // Ends the file; TakeBytes() once more for its last bytes.
  virtual Result<SegmentStats> Finish(const format::FooterPairs& pairs) = 0;
};

// Every column of `schema` has its field id. kInternal when the Parquet library refuses the schema.
Result<std::unique_ptr<SegmentWriter>> NewSegmentWriter(const format::SegmentSchema& schema,
                                                        const SegmentForm& form);

}  // namespace tidemark::datafile

#pragma once
// Data objects, written as a stream: records in, bytes out. The bytes are a pure function of the
// records, the form and the queue: no clock, no randomness, no thread count (contract: JSONL,
// Parquet).

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/digest.h"
#include "base/result.h"
#include "format/form.h"
#include "format/record.h"

namespace tidemark::datafile {

struct ObjectStats {
  std::int64_t bytes = 0;
  std::int64_t records = 0;
  Sha256Digest sha256{};
  // Payloads whose raw line breaks became spaces (JSONL only, decision 13 raw).
  std::int64_t newline_payloads = 0;
};

// Not thread-safe; may move between threads. Append records in strictly ascending (partition bytes,
// offset); breaking that order is a broken invariant. Memory besides pending bytes: JSONL below 4
// MiB (zstd's window); Parquet the compressed pages of one row group and one page of each column,
// or, when views live on, 72 bytes for each record of a row group instead.
class ObjectWriter {
 public:
  virtual ~ObjectWriter() = default;

  virtual Status Append(const format::RecordView& record) = 0;

  // No record follows: what Append put off can be done by Advance.
  virtual Status EndRecords() { return {}; }

  // Does a part of the work that Append put off, a mebibyte or little more; false when none is
  // left. Without these calls the next Append or Finish does it all at once.
  virtual Result<bool> Advance() { return false; }

  // Moves the bytes finished so far out; call it whenever pending_bytes() is worth a chunk.
  virtual std::string TakeBytes() = 0;
  virtual std::size_t pending_bytes() const = 0;
  // Bytes held in buffers now, pending bytes included: what a memory budget must count.
  virtual std::size_t memory_bytes() const = 0;

  // Ends the object; TakeBytes() once more for its last bytes.
  virtual Result<ObjectStats> Finish() = 0;
};

// How long the views passed to Append live. The bytes are the same either way.
enum class ViewLifetime {
  kCall,    // as long as the call
  kObject,  // until the writer is finished or destroyed
};

// `queue` goes into the Parquet footer (absent from an object without records); JSONL does not hold
// it.
Result<std::unique_ptr<ObjectWriter>> NewObjectWriter(const format::Form& form,
                                                      std::string queue,
                                                      ViewLifetime lifetime = ViewLifetime::kCall);

}  // namespace tidemark::datafile

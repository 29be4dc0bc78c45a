#pragma once
// Everything that decides a Parquet object's bytes besides its records, pinned here rather than
// inherited from the library's defaults (contract: "Parquet"; queen-interface 9;
// docs/formats/parquet.md).

#include <parquet/properties.h>
#include <parquet/schema.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "format/form.h"
#include "format/record.h"

namespace tidemark::datafile {

inline constexpr char kCreatedBy[] = "queen-s3";
inline constexpr char kRootName[] = "queen_record";
inline constexpr char kEnvelopeKey[] = "queen.envelope";
inline constexpr char kEnvelopeVersion[] = "1";
inline constexpr char kQueueKey[] = "queen.queue";

inline constexpr int kParquetZstdLevel = 3;
inline constexpr std::int64_t kDataPageBytes = 1 << 20;
inline constexpr std::int64_t kDictionaryPageBytes = 1 << 20;
inline constexpr std::int64_t kPageRowsMax = 20'000;
inline constexpr std::int64_t kBatchRecords = 1024;
// A batch also ends here, so that neither it nor a page grows with the size of payloads.
inline constexpr std::size_t kBatchTextBytes = 1 << 20;

// Where a batch ends.
struct BatchSize {
  std::int64_t records = 0;
  std::size_t text_bytes = 0;

  void Add(const format::RecordView& record) {
    ++records;
    text_bytes += record.partition.size() + record.transaction_id.size() + record.payload.size();
  }

  bool Full() const { return records >= kBatchRecords || text_bytes >= kBatchTextBytes; }
};

inline constexpr char kPartitionColumn[] = "partition";
inline constexpr char kOffsetColumn[] = "offset";
inline constexpr char kTransactionIdColumn[] = "transaction_id";
inline constexpr char kTsColumn[] = "ts";
inline constexpr char kPayloadColumn[] = "payload";

// The message `queen_record`: five columns in the order above.
std::shared_ptr<parquet::schema::GroupNode> RecordSchema();

// `codec` is kZstd or kSnappy. `pool` must outlive every writer that uses the properties.
std::shared_ptr<parquet::WriterProperties> RecordWriterProperties(format::Codec codec,
                                                                  arrow::MemoryPool* pool);

}  // namespace tidemark::datafile

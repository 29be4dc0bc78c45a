#pragma once
// One row group on its way: five column writers side by side, and the statistics of their chunks.

#include <arrow/io/interfaces.h>
#include <parquet/column_writer.h>
#include <parquet/metadata.h>

#include <array>
#include <cstdint>
#include <memory>

#include "datafile/record_batch.h"
#include "datafile/text_bounds.h"

namespace tidemark::datafile {

// Compressed pages are held in memory until Close writes the chunks one after the other. Throws
// what the library throws. `builder` must outlive the group.
class ParquetRowGroup {
 public:
  ParquetRowGroup(parquet::RowGroupMetaDataBuilder& builder,
                  const std::shared_ptr<parquet::WriterProperties>& properties,
                  const std::shared_ptr<arrow::io::OutputStream>& sink,
                  std::int16_t ordinal);

  // Writes the records of `batch`, at least one.
  void Write(RecordBatch& batch);

  void Close();

  std::int64_t records() const { return records_; }

 private:
  enum Column { kPartition, kOffset, kTransactionId, kTs, kPayload, kColumns };

  struct IntBounds {
    std::int64_t min = INT64_MAX;
    std::int64_t max = INT64_MIN;
    void Add(const std::vector<std::int64_t>& values);
  };

  void WriteTexts(Column column,
                  std::int64_t records,
                  const std::int16_t* presence,
                  const std::vector<parquet::ByteArray>& values,
                  TextBounds& bounds);
  void WriteInts(Column column, const std::vector<std::int64_t>& values, IntBounds& bounds);
  void SetStatistics();

  parquet::RowGroupMetaDataBuilder& builder_;
  std::int16_t ordinal_;
  std::array<parquet::ColumnChunkMetaDataBuilder*, kColumns> chunks_{};
  std::array<std::shared_ptr<parquet::ColumnWriter>, kColumns> writers_;
  std::int64_t records_ = 0;
  std::int64_t null_payloads_ = 0;
  TextBounds partitions_;
  TextBounds transaction_ids_;
  TextBounds payloads_;
  IntBounds offsets_;
  IntBounds timestamps_;
};

}  // namespace tidemark::datafile

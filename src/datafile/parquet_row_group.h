#pragma once
// One row group on its way, record by record: five columns that grow side by side.

#include <array>
#include <cstdint>
#include <vector>

#include "datafile/parquet_chunk.h"
#include "datafile/record_batch.h"

namespace tidemark::datafile {

// Compressed pages are held in memory until Close writes the chunks one after the other. Throws
// what the library throws. `builder` must outlive the group.
class ParquetRowGroup {
 public:
  ParquetRowGroup(parquet::RowGroupMetaDataBuilder& builder, ParquetTarget target);

  // Writes the records of `batch`, at least one.
  void Write(RecordBatch& batch);

  void Close();

 private:
  void WriteTexts(ParquetColumn column,
                  std::int64_t records,
                  const std::int16_t* presence,
                  const std::vector<parquet::ByteArray>& values,
                  TextBounds& bounds);
  void WriteInts(ParquetColumn column, const std::vector<std::int64_t>& values, IntBounds& bounds);
  void SetStatistics();

  parquet::RowGroupMetaDataBuilder& builder_;
  ParquetTarget target_;
  std::array<ParquetChunk, kParquetColumns> chunks_;
  std::int64_t records_ = 0;
  std::int64_t null_payloads_ = 0;
  TextBounds partitions_;
  TextBounds transaction_ids_;
  TextBounds payloads_;
  IntBounds offsets_;
  IntBounds timestamps_;
};

}  // namespace tidemark::datafile

#pragma once
// One column of a row group on its way into the file: its pages' writer and the statistics of its
// chunk, which the library would neither cut to a length nor keep out of the page headers.

#include <arrow/io/interfaces.h>
#include <parquet/column_writer.h>
#include <parquet/metadata.h>
#include <parquet/statistics.h>

#include <cstdint>
#include <memory>
#include <span>

#include "datafile/text_bounds.h"

namespace tidemark::datafile {

// The columns in the order of their chunks.
enum ParquetColumn { kPartition, kOffset, kTransactionId, kTs, kPayload, kParquetColumns };

struct IntBounds {
  std::int64_t min = INT64_MAX;
  std::int64_t max = INT64_MIN;

  void Add(std::span<const std::int64_t> values);
};

parquet::EncodedStatistics TextStatistics(const TextBounds& bounds, std::int64_t nulls);
parquet::EncodedStatistics IntStatistics(const IntBounds& bounds);

// What all chunks of a row group have in common.
struct ParquetTarget {
  std::shared_ptr<parquet::WriterProperties> properties;
  std::shared_ptr<arrow::io::OutputStream> sink;
  std::int16_t ordinal = 0;  // of the row group
};

struct ParquetChunk {
  parquet::ColumnChunkMetaDataBuilder* metadata = nullptr;
  std::shared_ptr<parquet::ColumnWriter> writer;

  // Texts that are there; `presence` has one level per record, or is null for a required column.
  void Write(std::int64_t records,
             const std::int16_t* presence,
             std::span<const parquet::ByteArray> texts);
  void Write(std::span<const std::int64_t> values);
};

// The next chunk of `builder`. `held`: its pages stay in memory until the writer is closed, so that
// the columns of a group can grow side by side; otherwise they go to the sink at once, one column
// after the other. Throws what the library throws.
ParquetChunk OpenChunk(parquet::RowGroupMetaDataBuilder& builder,
                       const ParquetTarget& target,
                       ParquetColumn column,
                       bool held);

}  // namespace tidemark::datafile

#pragma once
// One row group whose records are all at hand: written column by column straight from where they
// lie, so that nothing is copied and no page waits for the other columns.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "datafile/parquet_chunk.h"
#include "format/record.h"

namespace tidemark::datafile {

// The bytes are those of a ParquetRowGroup over the same records. Throws what the library throws.
// `builder` and what the records borrow outlive the group.
class BorrowedGroup {
 public:
  // `records`: at least one.
  BorrowedGroup(parquet::RowGroupMetaDataBuilder& builder,
                ParquetTarget target,
                std::vector<format::RecordView> records);

  // Writes one batch of one column, a mebibyte or little more. False once all are written and the
  // group is closed.
  bool Advance();

  std::size_t memory_bytes() const { return records_.capacity() * sizeof(format::RecordView); }

 private:
  using Batch = std::span<const format::RecordView>;

  void WriteBatch(Batch batch);
  template <typename Get>
  void WriteTexts(Batch batch, Get get);
  template <typename Get>
  void WriteInts(Batch batch, Get get);
  void WritePayloads(Batch batch);
  void AddText(std::string_view text);
  void CloseColumn();

  parquet::RowGroupMetaDataBuilder& builder_;
  const ParquetTarget target_;
  const std::vector<format::RecordView> records_;
  const std::vector<Batch> batches_;

  int column_ = kPartition;
  std::size_t next_batch_ = 0;
  std::int64_t bytes_ = 0;

  // Of the column under way.
  std::optional<ParquetChunk> chunk_;
  TextBounds text_bounds_;
  IntBounds int_bounds_;
  std::int64_t nulls_ = 0;

  // Used again for every batch.
  std::vector<parquet::ByteArray> texts_;
  std::vector<std::int64_t> ints_;
  std::vector<std::int16_t> presence_;
};

}  // namespace tidemark::datafile

#include "datafile/parquet_reader.h"

#include <arrow/buffer.h>
#include <arrow/io/memory.h>
#include <arrow/util/key_value_metadata.h>
#include <fmt/format.h>
#include <parquet/column_reader.h>
#include <parquet/exception.h>
#include <parquet/file_reader.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <optional>
#include <string>

#include "datafile/parquet_format.h"
#include "datafile/record_batch.h"

namespace tidemark::datafile {

namespace {

std::string_view AsText(const parquet::ByteArray& value) {
  return {reinterpret_cast<const char*>(value.ptr), value.len};
}

// Reads `count` rows of one column in as many steps as its pages need; `take(levels, values, rows,
// present)`.
template <typename Reader, typename Value, typename Take>
void ReadColumn(parquet::ColumnReader& column, std::int64_t count, Take take) {
  auto& reader = static_cast<Reader&>(column);
  std::vector<std::int16_t> levels(static_cast<std::size_t>(count));
  std::vector<Value> values(static_cast<std::size_t>(count));
  while (count > 0) {
    std::int64_t present = 0;
    const std::int64_t rows =
        reader.ReadBatch(count, levels.data(), nullptr, values.data(), &present);
    if (rows == 0) throw parquet::ParquetException("a column ends before its row group");
    for (std::int64_t i = 0, at = 0; i < rows; ++i) {
      const auto row = static_cast<std::size_t>(i);
      const bool is_null = present < rows && levels[row] == 0;
      take(is_null ? nullptr : &values[static_cast<std::size_t>(at)]);
      if (!is_null) ++at;
    }
    count -= rows;
  }
}

void ReadTexts(parquet::ColumnReader& column, std::int64_t count, TextColumn& out) {
  ReadColumn<parquet::ByteArrayReader, parquet::ByteArray>(
      column, count, [&](const parquet::ByteArray* value) {
        out.Add(value == nullptr ? std::string_view() : AsText(*value));
      });
}

void ReadInts(parquet::ColumnReader& column, std::int64_t count, std::vector<std::int64_t>& out) {
  ReadColumn<parquet::Int64Reader, std::int64_t>(
      column, count, [&](const std::int64_t* value) { out.push_back(*value); });
}

// Visits the records of `batch`, whose payloads hold an empty text for each NULL; false when the
// visitor stopped.
bool VisitBatch(RecordBatch& batch, const RecordVisitor& visit, std::int64_t& records) {
  const auto& partitions = batch.partitions.Values();
  const auto& transaction_ids = batch.transaction_ids.Values();
  const auto& payloads = batch.payloads.Values();
  for (std::size_t i = 0; i < batch.size(); ++i) {
    ++records;
    if (!visit({AsText(partitions[i]),
                Offset(batch.offsets[i]),
                AsText(transaction_ids[i]),
                Micros(batch.timestamps[i]),
                AsText(payloads[i])})) {
      return false;
    }
  }
  return true;
}

bool VisitRowGroup(parquet::RowGroupReader& group,
                   const RecordVisitor& visit,
                   std::int64_t& records) {
  std::array<std::shared_ptr<parquet::ColumnReader>, 5> columns;
  for (int i = 0; i < 5; ++i) columns[static_cast<std::size_t>(i)] = group.Column(i);
  RecordBatch batch;
  for (std::int64_t left = group.metadata()->num_rows(); left > 0;) {
    const std::int64_t count = std::min(left, kBatchRecords);
    batch.Clear();
    ReadTexts(*columns[0], count, batch.partitions);
    ReadInts(*columns[1], count, batch.offsets);
    ReadTexts(*columns[2], count, batch.transaction_ids);
    ReadInts(*columns[3], count, batch.timestamps);
    ReadTexts(*columns[4], count, batch.payloads);
    if (!VisitBatch(batch, visit, records)) return false;
    left -= count;
  }
  return true;
}

std::optional<std::string> FooterValue(const parquet::FileMetaData& footer, const char* key) {
  const auto& pairs = footer.key_value_metadata();
  if (pairs == nullptr || !pairs->Contains(key)) return std::nullopt;
  return pairs->Get(key).ValueOrDie();
}

void CheckSchema(const parquet::FileMetaData& footer) {
  parquet::SchemaDescriptor expected;
  expected.Init(RecordSchema());
  if (!footer.schema()->Equals(expected)) {
    throw parquet::ParquetException("columns are not the envelope's: ",
                                    footer.schema()->ToString());
  }
}

}  // namespace

Result<ReadSummary> ReadParquet(std::string_view bytes, const RecordVisitor& visit) {
  ReadSummary summary;
  std::string place = "footer";
  try {
    const auto file = parquet::ParquetFileReader::Open(
        std::make_shared<arrow::io::BufferReader>(std::make_shared<arrow::Buffer>(bytes)));
    const auto footer = file->metadata();
    CheckSchema(*footer);
    summary.created_by = footer->created_by();
    summary.footer_queue = FooterValue(*footer, kQueueKey);
    summary.footer_envelope = FooterValue(*footer, kEnvelopeKey);
    for (int i = 0; i < footer->num_row_groups(); ++i) {
      place = fmt::format("row group {}", i);
      if (!VisitRowGroup(*file->RowGroup(i), visit, summary.records)) break;
    }
  } catch (const std::exception& e) {
    return Fail(ErrorCode::kCorruption, fmt::format("{}: {}", place, e.what()));
  }
  return summary;
}

}  // namespace tidemark::datafile

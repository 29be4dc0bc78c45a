#include "datafile/parquet_reader.h"

#include <arrow/buffer.h>
#include <arrow/io/memory.h>
#include <arrow/util/key_value_metadata.h>
#include <fmt/format.h>
#include <parquet/column_reader.h>
#include <parquet/exception.h>
#include <parquet/file_reader.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "datafile/parquet_format.h"
#include "datafile/record_batch.h"

namespace tidemark::datafile {

namespace {

constexpr int kColumns = 5;

using Columns = std::array<std::shared_ptr<parquet::ColumnReader>, kColumns>;

std::string_view AsText(const parquet::ByteArray& value) {
  return {reinterpret_cast<const char*>(value.ptr), value.len};
}

// Calls `take` for each of the next `count` rows of a column, in as many steps as its pages need;
// nullptr is NULL.
template <typename Reader, typename Value, typename Take>
Status ReadColumn(parquet::ColumnReader& column, std::int64_t count, Take take) {
  auto& reader = static_cast<Reader&>(column);
  std::vector<std::int16_t> levels(static_cast<std::size_t>(count));
  std::vector<Value> values(static_cast<std::size_t>(count));
  while (count > 0) {
    std::int64_t present = 0;
    const std::int64_t rows =
        reader.ReadBatch(count, levels.data(), nullptr, values.data(), &present);
    if (rows == 0) return Fail(ErrorCode::kCorruption, "a column ends before its row group");
    for (std::int64_t i = 0, at = 0; i < rows; ++i) {
      const auto row = static_cast<std::size_t>(i);
      const bool is_null = present < rows && levels[row] == 0;
      take(is_null ? nullptr : &values[static_cast<std::size_t>(at)]);
      if (!is_null) ++at;
    }
    count -= rows;
  }
  return {};
}

Status ReadTexts(parquet::ColumnReader& column, std::int64_t count, TextColumn& out) {
  return ReadColumn<parquet::ByteArrayReader, parquet::ByteArray>(
      column, count, [&](const parquet::ByteArray* value) {
        out.Add(value == nullptr ? std::string_view() : AsText(*value));
      });
}

Status ReadInts(parquet::ColumnReader& column, std::int64_t count, std::vector<std::int64_t>& out) {
  return ReadColumn<parquet::Int64Reader, std::int64_t>(
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

Status ReadBatch(Columns& columns, std::int64_t count, RecordBatch& batch) {
  batch.Clear();
  TIDEMARK_TRY_VOID(ReadTexts(*columns[0], count, batch.partitions));
  TIDEMARK_TRY_VOID(ReadInts(*columns[1], count, batch.offsets));
  TIDEMARK_TRY_VOID(ReadTexts(*columns[2], count, batch.transaction_ids));
  TIDEMARK_TRY_VOID(ReadInts(*columns[3], count, batch.timestamps));
  return ReadTexts(*columns[4], count, batch.payloads);
}

// False when the visitor stopped.
Result<bool> VisitRowGroup(parquet::RowGroupReader& group,
                           const RecordVisitor& visit,
                           std::int64_t& records) {
  Columns columns;
  for (int i = 0; i < kColumns; ++i) columns[static_cast<std::size_t>(i)] = group.Column(i);
  RecordBatch batch;
  for (std::int64_t left = group.metadata()->num_rows(); left > 0;) {
    const std::int64_t count = std::min(left, kBatchRecords);
    TIDEMARK_TRY_VOID(ReadBatch(columns, count, batch));
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

Status CheckSchema(const parquet::FileMetaData& footer) {
  parquet::SchemaDescriptor expected;
  expected.Init(RecordSchema());
  if (footer.schema()->Equals(expected)) return {};
  return Fail(ErrorCode::kCorruption,
              fmt::format("columns are not the envelope's: {}", footer.schema()->ToString()));
}

Status ReadFile(std::string_view bytes,
                const RecordVisitor& visit,
                ReadSummary& summary,
                std::string& place) {
  const auto file = parquet::ParquetFileReader::Open(
      std::make_shared<arrow::io::BufferReader>(std::make_shared<arrow::Buffer>(bytes)));
  const auto footer = file->metadata();
  TIDEMARK_TRY_VOID(CheckSchema(*footer));
  summary.created_by = footer->created_by();
  summary.footer_queue = FooterValue(*footer, kQueueKey);
  summary.footer_envelope = FooterValue(*footer, kEnvelopeKey);
  for (int i = 0; i < footer->num_row_groups(); ++i) {
    place = fmt::format("row group {}", i);
    TIDEMARK_TRY(const bool go_on, VisitRowGroup(*file->RowGroup(i), visit, summary.records));
    if (!go_on) break;
  }
  return {};
}

}  // namespace

Result<ReadSummary> ReadParquet(std::string_view bytes, const RecordVisitor& visit) {
  ReadSummary summary;
  std::string place = "footer";
  try {
    const auto status = ReadFile(bytes, visit, summary, place);
    if (!status.has_value()) return Annotate(status.error(), place);
  } catch (const parquet::ParquetException& e) {
    return Fail(ErrorCode::kCorruption, fmt::format("{}: {}", place, e.what()));
  }
  return summary;
}

}  // namespace tidemark::datafile

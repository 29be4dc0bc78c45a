#include "datafile/parquet_row_group.h"

#include <parquet/statistics.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "base/check.h"

namespace tidemark::datafile {

namespace {

std::string_view AsText(const parquet::ByteArray& value) {
  return {reinterpret_cast<const char*>(value.ptr), value.len};
}

// Plain encoding of a statistic: eight bytes, little-endian.
std::string EncodeInt(std::int64_t value) {
  std::string bytes(sizeof(value), '\0');
  auto rest = static_cast<std::uint64_t>(value);
  for (char& byte : bytes) {
    byte = static_cast<char>(rest & 0xff);
    rest >>= 8;
  }
  return bytes;
}

parquet::EncodedStatistics TextStatistics(const TextBounds& bounds, std::int64_t nulls) {
  parquet::EncodedStatistics statistics;
  statistics.set_null_count(nulls);
  statistics.all_null_value = !bounds.any();
  if (!bounds.any()) return statistics;
  const Bound lower = bounds.lower();
  statistics.set_min(lower.text);
  statistics.is_min_value_exact = lower.exact;
  if (const auto upper = bounds.upper(); upper.has_value()) {
    statistics.set_max(upper->text);
    statistics.is_max_value_exact = upper->exact;
  }
  return statistics;
}

parquet::EncodedStatistics IntStatistics(std::int64_t min, std::int64_t max) {
  parquet::EncodedStatistics statistics;
  statistics.set_is_signed(true);
  statistics.set_null_count(0);
  statistics.set_min(EncodeInt(min));
  statistics.set_max(EncodeInt(max));
  statistics.is_min_value_exact = true;
  statistics.is_max_value_exact = true;
  return statistics;
}

}  // namespace

void ParquetRowGroup::IntBounds::Add(const std::vector<std::int64_t>& values) {
  const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
  min = std::min(min, *least);
  max = std::max(max, *greatest);
}

ParquetRowGroup::ParquetRowGroup(parquet::RowGroupMetaDataBuilder& builder,
                                 const std::shared_ptr<parquet::WriterProperties>& properties,
                                 const std::shared_ptr<arrow::io::OutputStream>& sink,
                                 std::int16_t ordinal)
    : builder_(builder), ordinal_(ordinal) {
  for (std::size_t i = 0; i < kColumns; ++i) {
    chunks_[i] = builder.NextColumnChunk();
    const auto path = chunks_[i]->descr()->path();
    parquet::CodecOptions codec_options(properties->compression_level(path));
    auto pages = parquet::PageWriter::Open(sink,
                                           properties->compression(path),
                                           chunks_[i],
                                           ordinal,
                                           static_cast<std::int16_t>(i),
                                           properties->memory_pool(),
                                           /*buffered_row_group=*/true,
                                           /*header_encryptor=*/nullptr,
                                           /*data_encryptor=*/nullptr,
                                           /*page_write_checksum_enabled=*/false,
                                           /*column_index_builder=*/nullptr,
                                           /*offset_index_builder=*/nullptr,
                                           codec_options);
    writers_[i] = parquet::ColumnWriter::Make(chunks_[i], std::move(pages), properties.get());
  }
}

void ParquetRowGroup::Write(RecordBatch& batch) {
  const auto records = static_cast<std::int64_t>(batch.size());
  WriteTexts(kPartition, records, nullptr, batch.partitions.Values(), partitions_);
  WriteInts(kOffset, batch.offsets, offsets_);
  WriteTexts(kTransactionId, records, nullptr, batch.transaction_ids.Values(), transaction_ids_);
  WriteInts(kTs, batch.timestamps, timestamps_);
  WriteTexts(kPayload, records, batch.payload_presence.data(), batch.payloads.Values(), payloads_);
  null_payloads_ += records - static_cast<std::int64_t>(batch.payloads.size());
  records_ += records;
}

void ParquetRowGroup::WriteTexts(Column column,
                                 std::int64_t records,
                                 const std::int16_t* presence,
                                 const std::vector<parquet::ByteArray>& values,
                                 TextBounds& bounds) {
  for (const auto& value : values) bounds.Add(AsText(value));
  static_cast<parquet::ByteArrayWriter&>(*writers_[column])
      .WriteBatch(records, presence, nullptr, values.data());
}

void ParquetRowGroup::WriteInts(Column column,
                                const std::vector<std::int64_t>& values,
                                IntBounds& bounds) {
  bounds.Add(values);
  static_cast<parquet::Int64Writer&>(*writers_[column])
      .WriteBatch(static_cast<std::int64_t>(values.size()), nullptr, nullptr, values.data());
}

void ParquetRowGroup::SetStatistics() {
  chunks_[kPartition]->SetStatistics(TextStatistics(partitions_, 0));
  chunks_[kOffset]->SetStatistics(IntStatistics(offsets_.min, offsets_.max));
  chunks_[kTransactionId]->SetStatistics(TextStatistics(transaction_ids_, 0));
  chunks_[kTs]->SetStatistics(IntStatistics(timestamps_.min, timestamps_.max));
  chunks_[kPayload]->SetStatistics(TextStatistics(payloads_, null_payloads_));
}

void ParquetRowGroup::Close() {
  TIDEMARK_CHECK(records_ > 0);
  SetStatistics();
  std::int64_t bytes = 0;
  for (const auto& writer : writers_) bytes += writer->Close();
  builder_.set_num_rows(records_);
  builder_.Finish(bytes, ordinal_);
}

}  // namespace tidemark::datafile

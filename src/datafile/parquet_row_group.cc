#include "datafile/parquet_row_group.h"

#include <string_view>
#include <utility>

#include "base/check.h"

namespace tidemark::datafile {

namespace {

std::string_view AsText(const parquet::ByteArray& value) {
  return {reinterpret_cast<const char*>(value.ptr), value.len};
}

}  // namespace

ParquetRowGroup::ParquetRowGroup(parquet::RowGroupMetaDataBuilder& builder, ParquetTarget target)
    : builder_(builder), target_(std::move(target)) {
  for (int i = 0; i < kParquetColumns; ++i) {
    const auto column = static_cast<ParquetColumn>(i);
    chunks_[column] = OpenChunk(builder, target_, column, /*held=*/true);
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

void ParquetRowGroup::WriteTexts(ParquetColumn column,
                                 std::int64_t records,
                                 const std::int16_t* presence,
                                 const std::vector<parquet::ByteArray>& values,
                                 TextBounds& bounds) {
  for (const auto& value : values) bounds.Add(AsText(value));
  chunks_[column].Write(records, presence, values);
}

void ParquetRowGroup::WriteInts(ParquetColumn column,
                                const std::vector<std::int64_t>& values,
                                IntBounds& bounds) {
  bounds.Add(values);
  chunks_[column].Write(values);
}

void ParquetRowGroup::SetStatistics() {
  chunks_[kPartition].metadata->SetStatistics(TextStatistics(partitions_, 0));
  chunks_[kOffset].metadata->SetStatistics(IntStatistics(offsets_));
  chunks_[kTransactionId].metadata->SetStatistics(TextStatistics(transaction_ids_, 0));
  chunks_[kTs].metadata->SetStatistics(IntStatistics(timestamps_));
  chunks_[kPayload].metadata->SetStatistics(TextStatistics(payloads_, null_payloads_));
}

void ParquetRowGroup::Close() {
  TIDEMARK_CHECK(records_ > 0);
  SetStatistics();
  std::int64_t bytes = 0;
  for (const auto& chunk : chunks_) bytes += chunk.writer->Close();
  builder_.set_num_rows(records_);
  builder_.Finish(bytes, target_.ordinal);
}

}  // namespace tidemark::datafile

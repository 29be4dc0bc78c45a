#include "datafile/parquet_borrowed_group.h"

#include <utility>

#include "base/check.h"
#include "datafile/parquet_format.h"

namespace tidemark::datafile {

namespace {

using format::RecordView;

// Where a page may end depends on where a batch does: batches are cut as for records that come one
// by one.
std::vector<std::span<const RecordView>> CutBatches(std::span<const RecordView> records) {
  std::vector<std::span<const RecordView>> batches;
  BatchSize size;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < records.size(); ++i) {
    size.Add(records[i]);
    if (!size.Full() && i + 1 < records.size()) continue;
    batches.push_back(records.subspan(begin, i + 1 - begin));
    begin = i + 1;
    size = {};
  }
  return batches;
}

}  // namespace

BorrowedGroup::BorrowedGroup(parquet::RowGroupMetaDataBuilder& builder,
                             ParquetTarget target,
                             std::vector<RecordView> records)
    : builder_(builder),
      target_(std::move(target)),
      records_(std::move(records)),
      batches_(CutBatches(records_)) {
  TIDEMARK_CHECK(!records_.empty());
}

bool BorrowedGroup::Advance() {
  if (column_ == kParquetColumns) return false;
  if (!chunk_) {
    chunk_ = OpenChunk(builder_, target_, static_cast<ParquetColumn>(column_), /*held=*/false);
  }
  WriteBatch(batches_[next_batch_]);
  if (++next_batch_ < batches_.size()) return true;
  CloseColumn();
  if (column_ < kParquetColumns) return true;
  builder_.set_num_rows(static_cast<std::int64_t>(records_.size()));
  builder_.Finish(bytes_, target_.ordinal);
  return false;
}

void BorrowedGroup::WriteBatch(Batch batch) {
  switch (column_) {
    case kPartition:
      return WriteTexts(batch, [](const RecordView& r) { return r.partition; });
    case kOffset:
      return WriteInts(batch, [](const RecordView& r) { return r.offset.value(); });
    case kTransactionId:
      return WriteTexts(batch, [](const RecordView& r) { return r.transaction_id; });
    case kTs:
      return WriteInts(batch, [](const RecordView& r) { return r.ts.value(); });
    default:
      return WritePayloads(batch);
  }
}

template <typename Get>
void BorrowedGroup::WriteTexts(Batch batch, Get get) {
  texts_.clear();
  for (const RecordView& record : batch) AddText(get(record));
  chunk_->Write(static_cast<std::int64_t>(batch.size()), nullptr, texts_);
}

template <typename Get>
void BorrowedGroup::WriteInts(Batch batch, Get get) {
  ints_.clear();
  for (const RecordView& record : batch) ints_.push_back(get(record));
  int_bounds_.Add(ints_);
  chunk_->Write(ints_);
}

void BorrowedGroup::WritePayloads(Batch batch) {
  texts_.clear();
  presence_.clear();
  for (const RecordView& record : batch) {
    presence_.push_back(record.has_payload() ? 1 : 0);
    if (record.has_payload()) AddText(record.payload);
  }
  nulls_ += static_cast<std::int64_t>(batch.size() - texts_.size());
  chunk_->Write(static_cast<std::int64_t>(batch.size()), presence_.data(), texts_);
}

void BorrowedGroup::AddText(std::string_view text) {
  texts_.emplace_back(static_cast<std::uint32_t>(text.size()),
                      reinterpret_cast<const std::uint8_t*>(text.data()));
  text_bounds_.Add(text);
}

void BorrowedGroup::CloseColumn() {
  const bool ints = column_ == kOffset || column_ == kTs;
  chunk_->metadata->SetStatistics(ints ? IntStatistics(int_bounds_)
                                       : TextStatistics(text_bounds_, nulls_));
  bytes_ += chunk_->writer->Close();
  chunk_.reset();
  text_bounds_ = {};
  int_bounds_ = {};
  nulls_ = 0;
  next_batch_ = 0;
  ++column_;
}

}  // namespace tidemark::datafile

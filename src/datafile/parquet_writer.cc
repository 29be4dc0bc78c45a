#include "datafile/parquet_writer.h"

#include <arrow/memory_pool.h>
#include <arrow/util/key_value_metadata.h>
#include <parquet/exception.h>
#include <parquet/file_writer.h>

#include <optional>
#include <utility>
#include <vector>

#include "datafile/buffer_stream.h"
#include "datafile/parquet_borrowed_group.h"
#include "datafile/parquet_format.h"
#include "datafile/parquet_row_group.h"
#include "datafile/record_batch.h"
#include "datafile/record_order.h"

namespace tidemark::datafile {

namespace {

constexpr char kMagic[] = "PAR1";

class ParquetWriter final : public ObjectWriter {
 public:
  ParquetWriter(const format::Form& form, std::string queue, ViewLifetime lifetime)
      : queue_(std::move(queue)),
        lifetime_(lifetime),
        row_group_records_(form.row_group_records),
        properties_(RecordWriterProperties(form.codec, &pool_)) {
    schema_.Init(RecordSchema());
    metadata_ = parquet::FileMetaDataBuilder::Make(&schema_, properties_);
    Put(kMagic);
  }

  Status Append(const format::RecordView& record) override {
    order_.Advance(record);
    ++records_;
    const bool group_ends = records_ % row_group_records_ == 0;
    if (lifetime_ == ViewLifetime::kObject) {
      borrowed_.push_back(record);
      return group_ends ? BeginBorrowed() : Status();
    }
    batch_.Add(record);
    batch_size_.Add(record);
    if (!group_ends && !batch_size_.Full()) return {};
    return GuardedWrite([&] {
      FlushBatch();
      if (group_ends) CloseGroup();
    });
  }

  Status EndRecords() override { return borrowed_.empty() ? Status() : BeginBorrowed(); }

  Result<bool> Advance() override {
    if (!borrowed_group_) return false;
    TIDEMARK_TRY_VOID(GuardedWrite([&] {
      if (!borrowed_group_->Advance()) borrowed_group_.reset();
    }));
    return borrowed_group_.has_value();
  }

  std::string TakeBytes() override { return stream_->buffer().Take(); }

  std::size_t pending_bytes() const override { return stream_->buffer().pending_bytes(); }

  std::size_t memory_bytes() const override {
    return stream_->buffer().memory_bytes() + batch_.memory_bytes() +
           borrowed_.capacity() * sizeof(format::RecordView) +
           (borrowed_group_ ? borrowed_group_->memory_bytes() : 0) +
           static_cast<std::size_t>(pool_.bytes_allocated());
  }

  Result<ObjectStats> Finish() override {
    TIDEMARK_TRY_VOID(EndRecords());
    TIDEMARK_TRY_VOID(FinishBorrowed());
    TIDEMARK_TRY_VOID(GuardedWrite([&] {
      if (batch_.size() > 0) FlushBatch();
      if (group_.has_value()) CloseGroup();
      parquet::WriteFileMetaData(*metadata_->Finish(FooterPairs()), stream_.get());
    }));
    return ObjectStats{.bytes = stream_->buffer().total_bytes(),
                       .records = records_,
                       .sha256 = stream_->buffer().FinishDigest()};
  }

 private:
  void Put(std::string_view bytes) {
    PARQUET_THROW_NOT_OK(stream_->Write(bytes.data(), static_cast<std::int64_t>(bytes.size())));
  }

  void FlushBatch() {
    if (!group_.has_value()) {
      group_.emplace(*metadata_->AppendRowGroup(), NextTarget());
    }
    group_->Write(batch_);
    batch_.Clear();
    batch_size_ = {};
  }

  Status BeginBorrowed() {
    TIDEMARK_TRY_VOID(FinishBorrowed());
    return GuardedWrite([&] {
      borrowed_group_.emplace(
          *metadata_->AppendRowGroup(), NextTarget(), std::exchange(borrowed_, {}));
    });
  }

  Status FinishBorrowed() {
    while (true) {
      TIDEMARK_TRY(const bool more, Advance());
      if (!more) return {};
    }
  }

  ParquetTarget NextTarget() {
    return {.properties = properties_, .sink = stream_, .ordinal = next_ordinal_++};
  }

  void CloseGroup() {
    group_->Close();
    group_.reset();
  }

  std::shared_ptr<const arrow::KeyValueMetadata> FooterPairs() const {
    auto pairs = std::make_shared<arrow::KeyValueMetadata>();
    pairs->Append(kEnvelopeKey, kEnvelopeVersion);
    if (records_ > 0) pairs->Append(kQueueKey, queue_);
    return pairs;
  }

  std::string queue_;
  ViewLifetime lifetime_;
  std::int64_t row_group_records_;
  // Counts what the library holds for us; everything below allocates from it. The system's pool,
  // not the library's own: two allocators that each keep freed pages cost half a row group.
  arrow::ProxyMemoryPool pool_{arrow::system_memory_pool()};
  std::shared_ptr<parquet::WriterProperties> properties_;
  parquet::SchemaDescriptor schema_;
  std::unique_ptr<parquet::FileMetaDataBuilder> metadata_;
  std::shared_ptr<BufferStream> stream_ = std::make_shared<BufferStream>();
  std::optional<ParquetRowGroup> group_;
  std::int16_t next_ordinal_ = 0;
  RecordOrder order_;
  RecordBatch batch_;
  BatchSize batch_size_;
  // When views live on: of the group that fills, and the one being written.
  std::vector<format::RecordView> borrowed_;
  std::optional<BorrowedGroup> borrowed_group_;
  std::int64_t records_ = 0;
};

}  // namespace

std::unique_ptr<ObjectWriter> NewParquetWriter(const format::Form& form,
                                               std::string queue,
                                               ViewLifetime lifetime) {
  return std::make_unique<ParquetWriter>(form, std::move(queue), lifetime);
}

}  // namespace tidemark::datafile

#include "datafile/segment_writer.h"

#include <arrow/memory_pool.h>
#include <arrow/util/key_value_metadata.h>
#include <parquet/column_writer.h>
#include <parquet/file_writer.h>

#include <utility>
#include <vector>

#include "base/check.h"
#include "datafile/buffer_stream.h"
#include "datafile/segment_format.h"

namespace tidemark::datafile {

namespace {

class ParquetSegmentWriter final : public SegmentWriter {
 public:
  // Throws what the library throws.
  ParquetSegmentWriter(const format::SegmentSchema& schema, const SegmentForm& form)
      : row_group_bytes_(form.row_group_bytes),
        file_(parquet::ParquetFileWriter::Open(stream_,
                                               SegmentNode(schema, form.timestamp_unit),
                                               SegmentProperties(schema, form, &pool_))) {}

  Status Write(const ColumnBatch& batch) override {
    TIDEMARK_CHECK(batch.rows() > 0);
    return GuardedWrite([&] {
      if (group_ == nullptr) group_ = file_->AppendBufferedRowGroup();
      for (std::size_t i = 0; i < batch.columns.size(); ++i) {
        WriteColumn(batch.columns[i], *group_->column(static_cast<int>(i)));
      }
      rows_ += static_cast<std::int64_t>(batch.rows());
      if (GroupBytes() >= row_group_bytes_) CloseGroup();
    });
  }

  std::int64_t rows() const override { return rows_; }

  std::int64_t file_bytes() const override {
    std::int64_t bytes = stream_->buffer().total_bytes();
    if (group_ == nullptr) return bytes;
    const auto buffered = group_->estimated_buffered_stats();
    return bytes + group_->total_compressed_bytes_written() + group_->total_compressed_bytes() +
           buffered.def_level_bytes + buffered.value_bytes + buffered.dict_bytes;
  }

  std::string TakeBytes() override { return stream_->buffer().Take(); }

  std::size_t pending_bytes() const override { return stream_->buffer().pending_bytes(); }

  std::size_t memory_bytes() const override {
    return stream_->buffer().memory_bytes() + static_cast<std::size_t>(pool_.bytes_allocated());
  }

  Result<SegmentStats> Finish(const format::FooterPairs& pairs) override {
    TIDEMARK_TRY_VOID(GuardedWrite([&] {
      if (group_ != nullptr) CloseGroup();
      auto metadata = std::make_shared<arrow::KeyValueMetadata>();
      for (const auto& [key, value] : pairs) metadata->Append(key, value);
      file_->AddKeyValueMetadata(metadata);
      file_->Close();
    }));
    return SegmentStats{.bytes = stream_->buffer().total_bytes(),
                        .rows = rows_,
                        .sha256 = stream_->buffer().FinishDigest()};
  }

 private:
  // Pages before compression, except those of columns with a dictionary, which are compressed
  // while they wait for it.
  std::int64_t GroupBytes() const {
    const auto buffered = group_->estimated_buffered_stats();
    return group_->total_bytes_written() + group_->total_compressed_bytes() +
           buffered.def_level_bytes + buffered.value_bytes + buffered.dict_bytes;
  }

  void CloseGroup() {
    group_->Close();
    group_ = nullptr;
  }

  template <typename Writer, typename Value>
  void Put(const ColumnBuffer& column, parquet::ColumnWriter& writer, const Value* values) {
    const std::int16_t* levels = column.required() ? nullptr : Levels(column);
    static_cast<Writer&>(writer).WriteBatch(
        static_cast<std::int64_t>(column.rows()), levels, nullptr, values);
  }

  const std::int16_t* Levels(const ColumnBuffer& column) {
    levels_ = column.presence();
    levels_.resize(column.rows(), 1);
    return levels_.data();
  }

  void WriteColumn(const ColumnBuffer& column, parquet::ColumnWriter& writer) {
    switch (column.storage()) {
      case ColumnStorage::kBool:
        // The library takes bool; a byte of 0 or 1 is one.
        static_assert(sizeof(bool) == sizeof(std::uint8_t));
        return Put<parquet::BoolWriter>(
            column, writer, reinterpret_cast<const bool*>(column.bools().data()));
      case ColumnStorage::kInt32:
        return Put<parquet::Int32Writer>(column, writer, column.int32s().data());
      case ColumnStorage::kInt64:
        return Put<parquet::Int64Writer>(column, writer, column.int64s().data());
      case ColumnStorage::kFloat:
        return Put<parquet::FloatWriter>(column, writer, column.floats().data());
      case ColumnStorage::kDouble:
        return Put<parquet::DoubleWriter>(column, writer, column.doubles().data());
      case ColumnStorage::kText:
        return Put<parquet::ByteArrayWriter>(column, writer, Texts(column));
      case ColumnStorage::kFixed:
        return Put<parquet::FixedLenByteArrayWriter>(column, writer, Fixed(column));
    }
  }

  const parquet::ByteArray* Texts(const ColumnBuffer& column) {
    texts_.clear();
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(column.bytes().data());
    std::size_t begin = 0;
    for (const std::size_t end : column.ends()) {
      texts_.emplace_back(static_cast<std::uint32_t>(end - begin), bytes + begin);
      begin = end;
    }
    return texts_.data();
  }

  const parquet::FixedLenByteArray* Fixed(const ColumnBuffer& column) {
    fixed_.clear();
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(column.bytes().data());
    for (std::size_t at = 0; at < column.bytes().size(); at += column.fixed_bytes()) {
      fixed_.emplace_back(bytes + at);
    }
    return fixed_.data();
  }

  std::int64_t row_group_bytes_;
  std::int64_t rows_ = 0;
  // Counts what the library holds for us; everything below allocates from it. Not the library's own
  // allocator: it gives pages back that the next row group asks for again.
  arrow::ProxyMemoryPool pool_{arrow::system_memory_pool()};
  std::shared_ptr<BufferStream> stream_ = std::make_shared<BufferStream>();
  std::unique_ptr<parquet::ParquetFileWriter> file_;
  parquet::RowGroupWriter* group_ = nullptr;  // owned by file_
  std::vector<std::int16_t> levels_;
  std::vector<parquet::ByteArray> texts_;
  std::vector<parquet::FixedLenByteArray> fixed_;
};

}  // namespace

Result<std::unique_ptr<SegmentWriter>> NewSegmentWriter(const format::SegmentSchema& schema,
                                                        const SegmentForm& form) {
  std::unique_ptr<SegmentWriter> writer;
  TIDEMARK_TRY_VOID(
      GuardedWrite([&] { writer = std::make_unique<ParquetSegmentWriter>(schema, form); }));
  return writer;
}

}  // namespace tidemark::datafile

#include "datafile/segment_writer.h"

#include <arrow/memory_pool.h>
#include <arrow/util/key_value_metadata.h>
#include <parquet/column_writer.h>
#include <parquet/file_writer.h>

#include <optional>
#include <utility>
#include <vector>

#include "base/check.h"
#include "datafile/buffer_stream.h"
#include "datafile/dictionary_column.h"
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
                                               SegmentProperties(schema, form, &pool_))) {
    for (const format::SchemaColumn& column : schema.columns) {
      dictionaries_.emplace_back();
      if (HasDictionary(column.type)) dictionaries_.back().emplace(kDictionaryPageBytes);
    }
  }

  Status Write(const ColumnBatch& batch) override {
    TIDEMARK_CHECK(batch.rows() > 0);
    return GuardedWrite([&] {
      if (group_ == nullptr) BeginGroup();
      for (std::size_t i = 0; i < batch.columns.size(); ++i) {
        if (!AddToDictionary(batch.columns[i], i)) WriteColumn(batch.columns[i], ColumnWriter(i));
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
           buffered.def_level_bytes + buffered.value_bytes + buffered.dict_bytes +
           DictionaryBytes();
  }

  std::string TakeBytes() override { return stream_->buffer().Take(); }

  std::size_t pending_bytes() const override { return stream_->buffer().pending_bytes(); }

  std::size_t memory_bytes() const override {
    std::size_t bytes = 0;
    for (const auto& dictionary : dictionaries_)
      bytes += dictionary ? dictionary->memory_bytes() : 0;
    return bytes + stream_->buffer().memory_bytes() +
           static_cast<std::size_t>(pool_.bytes_allocated());
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
  // Pages before compression.
  std::int64_t GroupBytes() const {
    const auto buffered = group_->estimated_buffered_stats();
    return group_->total_bytes_written() + group_->total_compressed_bytes() +
           buffered.def_level_bytes + buffered.value_bytes + buffered.dict_bytes +
           DictionaryBytes();
  }

  std::int64_t DictionaryBytes() const {
    std::int64_t bytes = 0;
    for (const auto& dictionary : dictionaries_)
      bytes += dictionary ? dictionary->encoded_bytes() : 0;
    return bytes;
  }

  parquet::ColumnWriter& ColumnWriter(std::size_t i) {
    return *group_->column(static_cast<int>(i));
  }

  void BeginGroup() {
    group_ = file_->AppendBufferedRowGroup();
    plain_.assign(dictionaries_.size(), false);
  }

  // False: the column has none, or its texts became too many in this row group.
  bool AddToDictionary(const ColumnBuffer& column, std::size_t i) {
    auto& dictionary = dictionaries_[i];
    if (!dictionary || plain_[i]) return false;
    if (dictionary->Add(column)) return true;
    plain_[i] = true;
    dictionary->WriteTexts(static_cast<parquet::ByteArrayWriter&>(ColumnWriter(i)),
                           column.required());
    return false;
  }

  void CloseGroup() {
    for (std::size_t i = 0; i < dictionaries_.size(); ++i) {
      auto& dictionary = dictionaries_[i];
      if (!dictionary || plain_[i]) continue;
      auto& writer = static_cast<parquet::ByteArrayWriter&>(ColumnWriter(i));
      dictionary->WriteNumbers(writer, writer.descr()->max_definition_level() == 0, &pool_);
    }
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
    if (column.presence().empty()) {
      if (all_there_.size() < column.rows()) all_there_.resize(column.rows(), 1);
      return all_there_.data();
    }
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
  parquet::RowGroupWriter* group_ = nullptr;                   // owned by file_
  std::vector<std::optional<DictionaryColumn>> dictionaries_;  // by column
  std::vector<bool> plain_;                                    // by column: not in this row group
  std::vector<std::int16_t> levels_;
  std::vector<std::int16_t> all_there_;  // the levels of columns without a null
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

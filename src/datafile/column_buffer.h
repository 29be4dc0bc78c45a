#pragma once
// Values of a segment's columns on their way from decoded records to the Parquet encoder. Reused
// batch after batch: in a steady state, adding a row allocates nothing.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::datafile {

// How a column's values are held here and in the file.
enum class ColumnStorage { kBool, kInt32, kInt64, kFloat, kDouble, kText, kFixed };

// One column. A value is added by the method of the column's storage. Not thread-safe.
class ColumnBuffer {
 public:
  // `fixed_bytes` is the length of each value of kFixed, else 0.
  ColumnBuffer(ColumnStorage storage, bool required, std::size_t fixed_bytes = 0)
      : storage_(storage),
        required_(required),
        fixed_bytes_(fixed_bytes),
        width_(WidthOf(storage)) {}

  void AddBool(bool value) { ++rows_, bools_.push_back(value ? 1 : 0); }

  void AddInt32(std::int32_t value) { ++rows_, int32s_.push_back(value); }

  void AddInt64(std::int64_t value) { ++rows_, int64s_.push_back(value); }

  void AddFloat(float value) { ++rows_, floats_.push_back(value); }

  void AddDouble(double value) { ++rows_, doubles_.push_back(value); }

  // kText, or kFixed with just the fixed length.
  void AddBytes(std::string_view value) {
    ++rows_;
    if (bytes_.size() - bytes_end_ < value.size()) MakeRoomFor(value.size());
    CopyText(value, bytes_.data() + bytes_end_);
    bytes_end_ += value.size();
    if (storage_ == ColumnStorage::kText) ends_.push_back(bytes_end_);
  }

  // Of columns that are not required.
  void AddNull() {
    presence_.resize(rows_, 1);
    presence_.push_back(0);
    ++rows_;
    ++nulls_;
  }

  std::size_t rows() const { return rows_; }

  // Bytes the values take, without encoding.
  std::size_t value_bytes() const { return (rows_ - nulls_) * width_ + bytes_end_; }

  // Bytes held in memory.
  std::size_t memory_bytes() const;

  // Forgets the rows from `rows` on.
  void Truncate(std::size_t rows);

  void Clear() { Truncate(0); }

  // Appends the rows [begin, end) of a column of the same storage.
  void AddRows(const ColumnBuffer& from, std::size_t begin, std::size_t end);

  ColumnStorage storage() const { return storage_; }

  bool required() const { return required_; }

  std::size_t fixed_bytes() const { return fixed_bytes_; }

  // What is there, without the nulls; each is filled by its own storage only.
  const std::vector<std::uint8_t>& bools() const { return bools_; }

  const std::vector<std::int32_t>& int32s() const { return int32s_; }

  const std::vector<std::int64_t>& int64s() const { return int64s_; }

  const std::vector<float>& floats() const { return floats_; }

  const std::vector<double>& doubles() const { return doubles_; }

  // Values back to back; of kText they end at ends().
  std::string_view bytes() const { return {bytes_.data(), bytes_end_}; }

  const std::vector<std::size_t>& ends() const { return ends_; }

  // 1 or 0 a row: Parquet's definition levels. Ends with the last null; all rows behind it are 1.
  const std::vector<std::int16_t>& presence() const { return presence_; }

 private:
  // Both ends of a text of kBytes to twice as many; they may overlap.
  template <std::size_t kBytes>
  static void CopyEnds(std::string_view text, char* to) {
    std::memcpy(to, text.data(), kBytes);
    std::memcpy(to + text.size() - kBytes, text.data() + text.size() - kBytes, kBytes);
  }

  // Without a call for the few bytes that most texts have.
  static void CopyText(std::string_view text, char* to) {
    const std::size_t size = text.size();
    if (size < 4 || size > 32) {
      std::memcpy(to, text.data(), size);
    } else if (size >= 16) {
      CopyEnds<16>(text, to);
    } else {
      size >= 8 ? CopyEnds<8>(text, to) : CopyEnds<4>(text, to);
    }
  }

  void MakeRoomFor(std::size_t bytes);

  // Of a column of the same storage.
  void AddValue(const ColumnBuffer& from, std::size_t value);

  // Bytes of a value that is not among bytes().
  static constexpr std::size_t WidthOf(ColumnStorage storage) {
    switch (storage) {
      case ColumnStorage::kBool:
        return 1;
      case ColumnStorage::kInt32:
      case ColumnStorage::kFloat:
        return 4;
      case ColumnStorage::kInt64:
      case ColumnStorage::kDouble:
        return 8;
      case ColumnStorage::kText:
      case ColumnStorage::kFixed:
        break;
    }
    return 0;
  }

  ColumnStorage storage_;
  bool required_;
  std::size_t fixed_bytes_;
  std::size_t width_;
  std::size_t rows_ = 0;
  std::size_t nulls_ = 0;
  std::vector<std::int16_t> presence_;
  std::vector<std::uint8_t> bools_;
  std::vector<std::int32_t> int32s_;
  std::vector<std::int64_t> int64s_;
  std::vector<float> floats_;
  std::vector<double> doubles_;
  std::string bytes_;  // as far as bytes_end_; room behind
  std::size_t bytes_end_ = 0;
  std::vector<std::size_t> ends_;
};

// All columns of some rows, in the schema's order.
struct ColumnBatch {
  std::vector<ColumnBuffer> columns;

  std::size_t rows() const { return columns.empty() ? 0 : columns.front().rows(); }

  std::size_t value_bytes() const;
  std::size_t memory_bytes() const;
  void Truncate(std::size_t rows);

  void Clear() { Truncate(0); }

  // Appends the rows [begin, end) of a batch of the same columns.
  void AddRows(const ColumnBatch& from, std::size_t begin, std::size_t end);
};

}  // namespace tidemark::datafile

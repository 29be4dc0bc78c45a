#include "datafile/column_buffer.h"

#include <algorithm>

namespace tidemark::datafile {

std::size_t ColumnBuffer::memory_bytes() const {
  return presence_.capacity() * sizeof(std::int16_t) + bools_.capacity() +
         int32s_.capacity() * sizeof(std::int32_t) + int64s_.capacity() * sizeof(std::int64_t) +
         floats_.capacity() * sizeof(float) + doubles_.capacity() * sizeof(double) +
         bytes_.capacity() + ends_.capacity() * sizeof(std::size_t);
}

void ColumnBuffer::MakeRoomFor(std::size_t bytes) {
  bytes_.resize(std::max(2 * bytes_.size(), bytes_end_ + bytes));
}

void ColumnBuffer::Truncate(std::size_t rows) {
  const auto kept =
      presence_.begin() + static_cast<std::ptrdiff_t>(std::min(rows, presence_.size()));
  nulls_ -= static_cast<std::size_t>(std::count(kept, presence_.end(), 0));
  presence_.erase(kept, presence_.end());
  const std::size_t values = rows - nulls_;
  switch (storage_) {
    case ColumnStorage::kBool:
      bools_.resize(values);
      break;
    case ColumnStorage::kInt32:
      int32s_.resize(values);
      break;
    case ColumnStorage::kInt64:
      int64s_.resize(values);
      break;
    case ColumnStorage::kFloat:
      floats_.resize(values);
      break;
    case ColumnStorage::kDouble:
      doubles_.resize(values);
      break;
    case ColumnStorage::kText:
      ends_.resize(values);
      bytes_end_ = values == 0 ? 0 : ends_.back();
      break;
    case ColumnStorage::kFixed:
      bytes_end_ = values * fixed_bytes_;
      break;
  }
  rows_ = rows;
}

void ColumnBuffer::AddRows(const ColumnBuffer& from, std::size_t begin, std::size_t end) {
  const auto is_null = [&from](std::size_t row) {
    return row < from.presence_.size() && from.presence_[row] == 0;
  };
  std::size_t value = 0;
  for (std::size_t row = 0; row < begin; ++row) value += is_null(row) ? 0U : 1U;
  for (std::size_t row = begin; row < end; ++row) {
    is_null(row) ? AddNull() : AddValue(from, value++);
  }
}

void ColumnBuffer::AddValue(const ColumnBuffer& from, std::size_t value) {
  const std::string_view bytes = from.bytes();
  switch (storage_) {
    case ColumnStorage::kBool:
      return AddBool(from.bools_[value] != 0);
    case ColumnStorage::kInt32:
      return AddInt32(from.int32s_[value]);
    case ColumnStorage::kInt64:
      return AddInt64(from.int64s_[value]);
    case ColumnStorage::kFloat:
      return AddFloat(from.floats_[value]);
    case ColumnStorage::kDouble:
      return AddDouble(from.doubles_[value]);
    case ColumnStorage::kText: {
      const std::size_t begin = value == 0 ? 0 : from.ends_[value - 1];
      return AddBytes(bytes.substr(begin, from.ends_[value] - begin));
    }
    case ColumnStorage::kFixed:
      return AddBytes(bytes.substr(value * fixed_bytes_, fixed_bytes_));
  }
}

std::size_t ColumnBatch::value_bytes() const {
  std::size_t bytes = 0;
  for (const ColumnBuffer& column : columns) bytes += column.value_bytes();
  return bytes;
}

std::size_t ColumnBatch::memory_bytes() const {
  std::size_t bytes = 0;
  for (const ColumnBuffer& column : columns) bytes += column.memory_bytes();
  return bytes;
}

void ColumnBatch::Truncate(std::size_t rows) {
  for (ColumnBuffer& column : columns) {
    if (column.rows() > rows) column.Truncate(rows);
  }
}

void ColumnBatch::AddRows(const ColumnBatch& from, std::size_t begin, std::size_t end) {
  for (std::size_t i = 0; i < columns.size(); ++i) columns[i].AddRows(from.columns[i], begin, end);
}

}  // namespace tidemark::datafile

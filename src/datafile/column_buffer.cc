#include "datafile/column_buffer.h"

#include <algorithm>

namespace tidemark::datafile {

std::size_t ColumnBuffer::memory_bytes() const {
  return presence_.capacity() * sizeof(std::int16_t) + bools_.capacity() +
         int32s_.capacity() * sizeof(std::int32_t) + int64s_.capacity() * sizeof(std::int64_t) +
         floats_.capacity() * sizeof(float) + doubles_.capacity() * sizeof(double) +
         bytes_.capacity() + ends_.capacity() * sizeof(std::size_t);
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
      bytes_.resize(values == 0 ? 0 : ends_.back());
      break;
    case ColumnStorage::kFixed:
      bytes_.resize(values * fixed_bytes_);
      break;
  }
  rows_ = rows;
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

}  // namespace tidemark::datafile

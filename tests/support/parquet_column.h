#pragma once
// A column of a Parquet file as plain values, for tests that judge what was written.

#include <parquet/column_reader.h>
#include <parquet/file_reader.h>

#include <cstdint>
#include <vector>

namespace tidemark::test {

// All values of the group's column, which holds no nulls. `Reader` is parquet's of its type.
template <typename Reader, typename Value>
std::vector<Value> ColumnOf(parquet::RowGroupReader& group, int index) {
  const auto column = group.Column(index);
  std::vector<Value> values(static_cast<std::size_t>(group.metadata()->num_rows()));
  for (std::int64_t done = 0, read = 0; done < std::ssize(values); done += read) {
    static_cast<Reader&>(*column).ReadBatch(
        std::ssize(values) - done, nullptr, nullptr, values.data() + done, &read);
  }
  return values;
}

}  // namespace tidemark::test

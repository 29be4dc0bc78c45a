#pragma once
// A column of texts that come again, for one row group: rows are numbers into its distinct texts,
// and reach the Parquet library as such when the group ends. Handed over row by row, the library
// would look up each text itself, at several times the cost.

#include <parquet/column_writer.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "datafile/column_buffer.h"

namespace tidemark::datafile {

// Not thread-safe.
class DictionaryColumn {
 public:
  // The distinct texts may take less than `bytes_max`, as a dictionary page has them.
  explicit DictionaryColumn(std::int64_t bytes_max) : bytes_max_(bytes_max) {}

  // Takes in the rows of a kText column. False: its texts are too many, and no row was taken.
  bool Add(const ColumnBuffer& column);

  // Hands all rows over, as dictionary and numbers, or as texts; `writer` writes a column that is
  // required or not, as the buffers were. Throws what the library throws. The rows are forgotten.
  void WriteNumbers(parquet::ByteArrayWriter& writer, bool required, arrow::MemoryPool* pool);
  void WriteTexts(parquet::ByteArrayWriter& writer, bool required);

  std::size_t rows() const { return numbers_.size(); }

  // What dictionary and numbers come to when they are encoded, about.
  std::int64_t encoded_bytes() const;

  std::size_t memory_bytes() const;

 private:
  static constexpr std::int32_t kNull = -1;

  std::size_t count() const { return ends_.size() - 1; }

  std::string_view TextOf(std::int32_t number) const {
    const auto i = static_cast<std::size_t>(number);
    return std::string_view(texts_).substr(static_cast<std::size_t>(ends_[i]),
                                           static_cast<std::size_t>(ends_[i + 1] - ends_[i]));
  }

  // The number of the text, a new one if need be. kNull: there is no room for it.
  std::int32_t NumberOf(std::string_view text);
  void Grow();
  std::vector<std::int16_t> Levels() const;
  void Clear();

  std::int64_t bytes_max_;
  std::string texts_;                     // one behind the other
  std::vector<std::int32_t> ends_ = {0};  // where text i ends: ends_[i + 1]
  std::vector<std::int32_t> slots_;       // open addressing by hash; kNull: free
  std::vector<std::int32_t> numbers_;     // by row
  std::int64_t nulls_ = 0;
};

}  // namespace tidemark::datafile

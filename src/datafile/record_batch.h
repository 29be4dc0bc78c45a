#pragma once
// Records copied column by column: the step between borrowed records and a column encoder.

#include <parquet/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "format/record.h"

namespace tidemark::datafile {

// Texts of one column, back to back.
class TextColumn {
 public:
  void Add(std::string_view value);
  void Clear();

  std::size_t size() const { return values_.size(); }

  std::size_t memory_bytes() const;

  // Valid until the next Add or Clear.
  const std::vector<parquet::ByteArray>& Values();

 private:
  std::string text_;
  // Lengths are right at once, pointers only after Values(): text_ may move while it grows.
  std::vector<parquet::ByteArray> values_;
};

class RecordBatch {
 public:
  void Add(const format::RecordView& record);
  void Clear();

  std::size_t size() const { return offsets.size(); }

  std::size_t memory_bytes() const;

  TextColumn partitions;
  std::vector<std::int64_t> offsets;
  TextColumn transaction_ids;
  std::vector<std::int64_t> timestamps;
  TextColumn payloads;                         // without the NULLs
  std::vector<std::int16_t> payload_presence;  // 1, or 0 for NULL: Parquet's definition levels
};

}  // namespace tidemark::datafile

#pragma once
// What a sink decides about its segments besides their rows (segments contract: `config:` of the
// parquet sink), and how each declared type is held under it.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "datafile/column_buffer.h"
#include "format/segment_schema.h"

namespace tidemark::datafile {

enum class TimestampUnit { kMicros, kNanos };

enum class UnsignedPolicy {
  kNative,
  kSigned,  // the next wider signed type; u64 in i64, larger values are refused
};

struct SegmentCodec {
  enum class Kind { kNone, kSnappy, kZstd };
  Kind kind = Kind::kZstd;
  int zstd_level = 1;

  bool operator==(const SegmentCodec&) const = default;
};

inline constexpr int kZstdLevelMax = 22;

// `auto`, `none`, `snappy`, `zstd` (level 1) or `zstd(N)`. `auto` is zstd(1), and snappy on
// aarch64. kInvalidArgument names the text and what there is.
Result<SegmentCodec> ParseSegmentCodec(std::string_view text);
std::string ToString(const SegmentCodec& codec);

struct SegmentForm {
  SegmentCodec codec;
  std::int64_t row_group_bytes = std::int64_t{8} << 20;  // encoded, not compressed
  TimestampUnit timestamp_unit = TimestampUnit::kMicros;
  UnsignedPolicy unsigned_policy = UnsignedPolicy::kNative;
  std::string created_by;
};

// The type a file's schema shows for a declared one: another only for unsigned ones under kSigned.
format::ColumnType StoredType(const format::ColumnType& declared, UnsignedPolicy policy);

// Bytes of a decimal's two's complement that hold `precision` digits; 1 to 16.
std::size_t DecimalBytes(int precision);

ColumnStorage StorageOf(const format::ColumnType& stored);

// An empty buffer for each column of the schema.
ColumnBatch NewBatch(const format::SegmentSchema& schema);

}  // namespace tidemark::datafile

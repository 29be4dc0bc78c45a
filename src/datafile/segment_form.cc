#include "datafile/segment_form.h"

#include <fmt/format.h>

#include <charconv>

#include "base/check.h"

namespace tidemark::datafile {

namespace {

using format::ColumnKind;
using format::ColumnType;

constexpr std::string_view kZstdPrefix = "zstd(";
// Decimals of up to these precisions are held in INT32 and INT64, as Iceberg wants them.
constexpr int kInt32Digits = 9;
constexpr int kInt64Digits = 18;

#if defined(__aarch64__)
constexpr SegmentCodec kAutoCodec{.kind = SegmentCodec::Kind::kSnappy, .zstd_level = 1};
#else
constexpr SegmentCodec kAutoCodec{.kind = SegmentCodec::Kind::kZstd, .zstd_level = 1};
#endif

bool ReadLevel(std::string_view text, int& level) {
  if (!text.starts_with(kZstdPrefix) || !text.ends_with(')')) return false;
  text.remove_prefix(kZstdPrefix.size());
  text.remove_suffix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), level);
  return error == std::errc() && end == text.data() + text.size() && level >= 1 &&
         level <= kZstdLevelMax;
}

}  // namespace

Result<SegmentCodec> ParseSegmentCodec(std::string_view text) {
  using enum SegmentCodec::Kind;
  if (text == "auto") return kAutoCodec;
  if (text == "none") return SegmentCodec{.kind = kNone, .zstd_level = 1};
  if (text == "snappy") return SegmentCodec{.kind = kSnappy, .zstd_level = 1};
  if (text == "zstd") return SegmentCodec{.kind = kZstd, .zstd_level = 1};
  SegmentCodec codec{.kind = kZstd, .zstd_level = 1};
  if (ReadLevel(text, codec.zstd_level)) return codec;
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("compression \"{}\" is none of auto, none, snappy, zstd, zstd(1) to "
                          "zstd({})",
                          text,
                          kZstdLevelMax));
}

std::string ToString(const SegmentCodec& codec) {
  switch (codec.kind) {
    case SegmentCodec::Kind::kNone:
      return "none";
    case SegmentCodec::Kind::kSnappy:
      return "snappy";
    case SegmentCodec::Kind::kZstd:
      break;
  }
  return fmt::format("zstd({})", codec.zstd_level);
}

ColumnType StoredType(const ColumnType& declared, UnsignedPolicy policy) {
  if (policy == UnsignedPolicy::kNative) return declared;
  ColumnType stored = declared;
  switch (declared.kind) {
    case ColumnKind::kU8:
      stored.kind = ColumnKind::kI16;
      break;
    case ColumnKind::kU16:
      stored.kind = ColumnKind::kI32;
      break;
    case ColumnKind::kU32:
    case ColumnKind::kU64:
      stored.kind = ColumnKind::kI64;
      break;
    default:
      break;
  }
  return stored;
}

std::size_t DecimalBytes(int precision) {
  unsigned __int128 largest = 1;
  for (int i = 0; i < precision; ++i) largest *= 10;
  std::size_t bytes = 1;
  while (((unsigned __int128){1} << (8 * bytes - 1)) < largest) ++bytes;
  return bytes;
}

ColumnStorage StorageOf(const ColumnType& stored) {
  switch (stored.kind) {
    case ColumnKind::kBool:
      return ColumnStorage::kBool;
    case ColumnKind::kI8:
    case ColumnKind::kI16:
    case ColumnKind::kI32:
    case ColumnKind::kU8:
    case ColumnKind::kU16:
    case ColumnKind::kU32:
    case ColumnKind::kDate:
      return ColumnStorage::kInt32;
    case ColumnKind::kI64:
    case ColumnKind::kU64:
    case ColumnKind::kTimestamp:
      return ColumnStorage::kInt64;
    case ColumnKind::kF32:
      return ColumnStorage::kFloat;
    case ColumnKind::kF64:
      return ColumnStorage::kDouble;
    case ColumnKind::kDecimal:
      if (stored.precision <= kInt32Digits) return ColumnStorage::kInt32;
      if (stored.precision <= kInt64Digits) return ColumnStorage::kInt64;
      return ColumnStorage::kFixed;
    case ColumnKind::kString:
    case ColumnKind::kBinary:
    case ColumnKind::kJson:
      return ColumnStorage::kText;
  }
  TIDEMARK_CHECK(false, "no storage for type {}", static_cast<int>(stored.kind));
}

ColumnBatch NewBatch(const format::SegmentSchema& schema) {
  ColumnBatch batch;
  for (const format::SchemaColumn& column : schema.columns) {
    const ColumnStorage storage = StorageOf(column.type);
    const std::size_t fixed =
        storage == ColumnStorage::kFixed ? DecimalBytes(column.type.precision) : 0;
    batch.columns.emplace_back(storage, column.required, fixed);
  }
  return batch;
}

}  // namespace tidemark::datafile

#pragma once
// Types of the columns a data set declares, as the pipeline file writes them (docs/pipeline.md).

#include <string>
#include <string_view>

#include "base/result.h"

namespace tidemark::format {

enum class ColumnKind {
  kBool,
  kI8,
  kI16,
  kI32,
  kI64,
  kU8,
  kU16,
  kU32,
  kU64,
  kF32,
  kF64,
  kDecimal,
  kString,
  kBinary,
  kTimestamp,  // UTC; the unit is the sink's
  kDate,       // days since 1970-01-01
  kJson,       // verbatim text, stored as a plain string
};

inline constexpr int kDecimalPrecisionMax = 38;

struct ColumnType {
  ColumnKind kind = ColumnKind::kString;
  // Of decimals only: 1 <= precision <= 38, 0 <= scale <= precision.
  int precision = 0;
  int scale = 0;

  bool operator==(const ColumnType&) const = default;
};

// `u64`, `decimal(10,2)`, ...: the inverse of ParseColumnType.
std::string ToString(const ColumnType& type);

// kInvalidArgument names the text and the types there are.
Result<ColumnType> ParseColumnType(std::string_view text);

bool IsInteger(ColumnKind kind);
bool IsUnsigned(ColumnKind kind);

}  // namespace tidemark::format

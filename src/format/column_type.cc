#include "format/column_type.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <utility>

namespace tidemark::format {

namespace {

constexpr std::array<std::pair<std::string_view, ColumnKind>, 16> kNames = {{
    {"bool", ColumnKind::kBool},
    {"i8", ColumnKind::kI8},
    {"i16", ColumnKind::kI16},
    {"i32", ColumnKind::kI32},
    {"i64", ColumnKind::kI64},
    {"u8", ColumnKind::kU8},
    {"u16", ColumnKind::kU16},
    {"u32", ColumnKind::kU32},
    {"u64", ColumnKind::kU64},
    {"f32", ColumnKind::kF32},
    {"f64", ColumnKind::kF64},
    {"string", ColumnKind::kString},
    {"binary", ColumnKind::kBinary},
    {"timestamp", ColumnKind::kTimestamp},
    {"date", ColumnKind::kDate},
    {"json", ColumnKind::kJson},
}};

constexpr std::string_view kDecimalPrefix = "decimal(";

std::unexpected<Error> NoSuchType(std::string_view text) {
  std::string known;
  for (const auto& [name, kind] : kNames) known += fmt::format("{}, ", name);
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("type \"{}\" is none of {}decimal(precision,scale) with a precision of 1 "
                          "to {} and a scale of 0 to the precision",
                          text,
                          known,
                          kDecimalPrecisionMax));
}

bool ReadInt(std::string_view& text, int& value) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  while (text.starts_with(' ')) text.remove_prefix(1);
  return true;
}

bool ReadDecimal(std::string_view text, ColumnType& type) {
  if (!text.starts_with(kDecimalPrefix) || !text.ends_with(')')) return false;
  text.remove_prefix(kDecimalPrefix.size());
  text.remove_suffix(1);
  type.kind = ColumnKind::kDecimal;
  if (!ReadInt(text, type.precision) || !text.starts_with(',')) return false;
  text.remove_prefix(1);
  if (!ReadInt(text, type.scale) || !text.empty()) return false;
  return type.precision >= 1 && type.precision <= kDecimalPrecisionMax && type.scale >= 0 &&
         type.scale <= type.precision;
}

}  // namespace

std::string ToString(const ColumnType& type) {
  for (const auto& [name, kind] : kNames) {
    if (kind == type.kind) return std::string(name);
  }
  return fmt::format("decimal({},{})", type.precision, type.scale);
}

Result<ColumnType> ParseColumnType(std::string_view text) {
  for (const auto& [name, kind] : kNames) {
    if (name == text) return ColumnType{.kind = kind, .precision = 0, .scale = 0};
  }
  ColumnType type;
  if (ReadDecimal(text, type)) return type;
  return NoSuchType(text);
}

bool IsUnsigned(ColumnKind kind) {
  return kind == ColumnKind::kU8 || kind == ColumnKind::kU16 || kind == ColumnKind::kU32 ||
         kind == ColumnKind::kU64;
}

bool IsInteger(ColumnKind kind) {
  return IsUnsigned(kind) || kind == ColumnKind::kI8 || kind == ColumnKind::kI16 ||
         kind == ColumnKind::kI32 || kind == ColumnKind::kI64;
}

}  // namespace tidemark::format

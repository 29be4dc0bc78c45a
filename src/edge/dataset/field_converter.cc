#include "edge/dataset/field_converter.h"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "edge/dataset/json_number.h"
#include "edge/dataset/json_string.h"

namespace tidemark::edge {

namespace {

using datafile::ColumnBuffer;
using format::ColumnKind;

std::string_view NameOf(TokenKind kind) {
  switch (kind) {
    case TokenKind::kMissing:
      return "nothing";
    case TokenKind::kNull:
      return "null";
    case TokenKind::kBool:
      return "a boolean";
    case TokenKind::kNumber:
      return "a number";
    case TokenKind::kString:
      return "a string";
    case TokenKind::kObject:
      return "an object";
    case TokenKind::kArray:
      return "an array";
  }
  return "?";
}

struct Limits {
  std::int64_t min;
  std::int64_t max;
};

Limits SignedLimits(ColumnKind kind) {
  switch (kind) {
    case ColumnKind::kI8:
      return {INT8_MIN, INT8_MAX};
    case ColumnKind::kI16:
      return {INT16_MIN, INT16_MAX};
    case ColumnKind::kI32:
      return {INT32_MIN, INT32_MAX};
    default:
      return {INT64_MIN, INT64_MAX};
  }
}

std::uint64_t UnsignedLimit(ColumnKind kind, datafile::UnsignedPolicy policy) {
  switch (kind) {
    case ColumnKind::kU8:
      return UINT8_MAX;
    case ColumnKind::kU16:
      return UINT16_MAX;
    case ColumnKind::kU32:
      return UINT32_MAX;
    default:
      return policy == datafile::UnsignedPolicy::kSigned ? std::uint64_t{INT64_MAX} : UINT64_MAX;
  }
}

void AppendInteger(std::int64_t value, ColumnBuffer& column) {
  if (column.storage() == datafile::ColumnStorage::kInt32) {
    column.AddInt32(static_cast<std::int32_t>(value));
  } else {
    column.AddInt64(value);
  }
}

// Two's complement, big-endian.
void AppendFixed(Int128 value, ColumnBuffer& column) {
  char bytes[sizeof value];
  const std::size_t count = column.fixed_bytes();
  for (std::size_t i = count; i > 0; --i, value >>= 8) {
    bytes[i - 1] = static_cast<char>(value & 0xff);
  }
  column.AddBytes({bytes, count});
}

}  // namespace

std::int64_t NanosPerUnit(datafile::TimestampUnit unit) {
  return unit == datafile::TimestampUnit::kMicros ? 1000 : 1;
}

std::optional<Reject> ReadInstant(const Token& token,
                                  TimeFormat format,
                                  std::string& scratch,
                                  Instant& instant) {
  const bool is_text = format == TimeFormat::kRfc3339;
  if (token.kind != (is_text ? TokenKind::kString : TokenKind::kNumber)) {
    return Reject{.reason = reason::kType,
                  .detail = fmt::format("{} where {} is declared",
                                        NameOf(token.kind),
                                        is_text ? "an RFC 3339 string" : "a number")};
  }
  std::optional<Instant> read;
  if (is_text) {
    std::string_view text = token.raw;
    if (token.escaped) {
      scratch.clear();
      text = AppendUnescaped(token.raw, scratch) ? scratch : std::string_view();
    }
    read = ParseRfc3339(text);
  } else {
    read = ParseEpoch(token.raw, format);
  }
  if (!read) {
    return Reject{.reason = reason::kNarrowing,
                  .detail = fmt::format("{} is no time", Shown(token.Verbatim()))};
  }
  instant = *read;
  return std::nullopt;
}

FieldConverter::FieldConverter(FieldSpec spec, const datafile::SegmentForm& form)
    : spec_(std::move(spec)),
      unit_(form.timestamp_unit),
      unsigned_max_(UnsignedLimit(spec_.type.kind, form.unsigned_policy)),
      plain_(Plain::kNone),
      plain_max_(0),
      plain_min_(0) {
  const ColumnKind kind = spec_.type.kind;
  if (kind == ColumnKind::kString) plain_ = Plain::kText;
  if (kind == ColumnKind::kF32) plain_ = Plain::kFloat;
  if (kind == ColumnKind::kF64) plain_ = Plain::kDouble;
  if (!format::IsInteger(kind)) return;
  const auto storage = datafile::StorageOf(datafile::StoredType(spec_.type, form.unsigned_policy));
  plain_ = storage == datafile::ColumnStorage::kInt32 ? Plain::kInt32 : Plain::kInt64;
  const auto [min, max] = SignedLimits(kind);
  const bool is_unsigned = format::IsUnsigned(kind);
  plain_min_ = is_unsigned ? 0 : min;
  plain_max_ =
      is_unsigned && unsigned_max_ < INT64_MAX ? static_cast<std::int64_t>(unsigned_max_) : max;
}

Reject FieldConverter::WrongKind(const Token& token, std::string_view wanted) const {
  return {
      .reason = reason::kType,
      .detail = fmt::format("{}: {} where {} is declared", spec_.name, NameOf(token.kind), wanted)};
}

Reject FieldConverter::DoesNotFit(const Token& token, std::string_view why) const {
  return {.reason = reason::kNarrowing,
          .detail = fmt::format("{}: {} {}", spec_.name, Shown(token.Verbatim()), why)};
}

std::optional<Reject> FieldConverter::AppendAny(const Token& token,
                                                Scratch& scratch,
                                                ColumnBuffer& column) const {
  switch (spec_.type.kind) {
    case ColumnKind::kBool:
      if (token.kind != TokenKind::kBool) return WrongKind(token, "a boolean");
      column.AddBool(token.raw == "true");
      return std::nullopt;
    case ColumnKind::kDecimal:
      return AppendDecimal(token, column);
    case ColumnKind::kString:
    case ColumnKind::kBinary:
    case ColumnKind::kDate:
      return AppendText(token, scratch, column);
    case ColumnKind::kTimestamp:
      return AppendTime(token, scratch, column);
    case ColumnKind::kJson:
      column.AddBytes(token.Verbatim());
      return std::nullopt;
    default:
      return AppendNumber(token, column);
  }
}

std::optional<Reject> FieldConverter::AppendPayload(std::string_view payload,
                                                    ColumnBuffer& column) const {
  column.AddBytes(payload);
  return std::nullopt;
}

std::optional<Reject> FieldConverter::AppendNumber(const Token& token, ColumnBuffer& column) const {
  if (token.kind != TokenKind::kNumber) return WrongKind(token, "a number");
  const ColumnKind kind = spec_.type.kind;
  if (kind == ColumnKind::kF32) {
    const auto value = NearestFloat(token.raw);
    if (!value) return DoesNotFit(token, "is beyond an f32");
    column.AddFloat(*value);
  } else if (kind == ColumnKind::kF64) {
    const auto value = NearestDouble(token.raw);
    if (!value) return DoesNotFit(token, "is beyond an f64");
    column.AddDouble(*value);
  } else if (format::IsUnsigned(kind)) {
    const auto value = UnsignedInteger(token.raw, unsigned_max_);
    if (!value) {
      return DoesNotFit(token, fmt::format("is no integer from 0 to {}", unsigned_max_));
    }
    AppendInteger(static_cast<std::int64_t>(*value), column);
  } else {
    const auto [min, max] = SignedLimits(kind);
    const auto value = SignedInteger(token.raw, min, max);
    if (!value) return DoesNotFit(token, fmt::format("is no integer from {} to {}", min, max));
    AppendInteger(*value, column);
  }
  return std::nullopt;
}

std::optional<Reject> FieldConverter::AppendDecimal(const Token& token,
                                                    ColumnBuffer& column) const {
  if (token.kind != TokenKind::kNumber) return WrongKind(token, "a number");
  const auto value = ScaledInteger(token.raw, spec_.type.scale);
  Int128 limit = 1;
  for (int i = 0; i < spec_.type.precision; ++i) limit *= 10;
  if (!value || *value >= limit || *value <= -limit) {
    return DoesNotFit(token, fmt::format("does not fit {}", format::ToString(spec_.type)));
  }
  if (column.storage() == datafile::ColumnStorage::kFixed) {
    AppendFixed(*value, column);
  } else {
    AppendInteger(static_cast<std::int64_t>(*value), column);
  }
  return std::nullopt;
}

std::optional<Reject> FieldConverter::AppendText(const Token& token,
                                                 Scratch& scratch,
                                                 ColumnBuffer& column) const {
  if (token.kind != TokenKind::kString) return WrongKind(token, "a string");
  std::string_view text = token.raw;
  if (token.escaped) {
    scratch.text.clear();
    if (!AppendUnescaped(text, scratch.text)) {
      return DoesNotFit(token, "holds half of a surrogate pair");
    }
    text = scratch.text;
  }
  if (spec_.type.kind == ColumnKind::kString) {
    column.AddBytes(text);
  } else if (spec_.type.kind == ColumnKind::kDate) {
    const auto days = ParseDate(text);
    if (!days) return DoesNotFit(token, "is no date YYYY-MM-DD");
    column.AddInt32(*days);
  } else {
    scratch.decoded.clear();
    if (!AppendBase64Decoded(text, scratch.decoded)) return DoesNotFit(token, "is not base64");
    column.AddBytes(scratch.decoded);
  }
  return std::nullopt;
}

std::optional<Reject> FieldConverter::AppendTime(const Token& token,
                                                 Scratch& scratch,
                                                 ColumnBuffer& column) const {
  Instant instant;
  if (auto reject = ReadInstant(token, spec_.time_format, scratch.text, instant)) {
    reject->detail = fmt::format("{}: {}", spec_.name, reject->detail);
    return reject;
  }
  bool exact = true;
  const auto units = InUnits(instant, NanosPerUnit(unit_), exact);
  if (!units) return DoesNotFit(token, "is beyond a timestamp");
  if (!exact && !spec_.round_down) {
    return DoesNotFit(token,
                      "has digits beyond the sink's timestamp_unit; `round: down` drops them");
  }
  column.AddInt64(*units);
  return std::nullopt;
}

}  // namespace tidemark::edge

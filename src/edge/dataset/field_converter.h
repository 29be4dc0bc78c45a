#pragma once
// One declared field: a JSON value becomes a column's value, exactly or not at all
// (docs/pipeline.md, "Types").

#include <cstdint>
#include <optional>
#include <string>

#include "datafile/column_buffer.h"
#include "datafile/segment_form.h"
#include "edge/dataset/dataset_spec.h"
#include "edge/dataset/json_number.h"
#include "edge/dataset/json_scanner.h"
#include "edge/dataset/kept_text.h"
#include "edge/dataset/reject.h"
#include "edge/dataset/time_text.h"

namespace tidemark::edge {

// Nanoseconds of a sink's timestamp unit.
std::int64_t NanosPerUnit(datafile::TimestampUnit unit);

// Texts on their way into a column; one for all fields of a data set.
struct Scratch {
  std::string text;
  std::string decoded;

  // To be called after each record.
  void ForgetLong() {
    ForgetIfLong(text);
    ForgetIfLong(decoded);
  }
};

// A point in time that takes one step (PlainUtcNanos). nullopt: it takes more, or is none.
inline std::optional<std::int64_t> ReadPlainNanos(const Token& token, TimeFormat format) {
  const bool is_plain =
      format == TimeFormat::kRfc3339 && token.kind == TokenKind::kString && !token.escaped;
  return is_plain ? PlainUtcNanos(token.raw) : std::nullopt;
}

// A point in time from its token; kType or kNarrowing without a detail of the field's name.
std::optional<Reject> ReadInstant(const Token& token,
                                  TimeFormat format,
                                  std::string& scratch,
                                  Instant& instant);

// Any thread, with a scratch of its own.
class FieldConverter {
 public:
  FieldConverter(FieldSpec spec, const datafile::SegmentForm& form);

  // Appends the value of a token that is not absent, or gives a reject and appends nothing.
  std::optional<Reject> Append(const Token& token,
                               Scratch& scratch,
                               datafile::ColumnBuffer& column) const {
    if (AppendPlain(token, column)) return std::nullopt;
    return AppendAny(token, scratch, column);
  }

  // The value of a token of the field's kind that takes one step: most of them. False: it is
  // another, or absent, and nothing was appended.
  bool AppendPlain(const Token& token, datafile::ColumnBuffer& column) const;

  // Of payloads that are not JSON: the bytes as they are.
  std::optional<Reject> AppendPayload(std::string_view payload,
                                      datafile::ColumnBuffer& column) const;

  const FieldSpec& spec() const { return spec_; }

 private:
  // What needs a conversion of one step, where the token is of that kind.
  enum class Plain { kNone, kText, kFloat, kDouble, kInt32, kInt64 };

  std::optional<Reject> AppendAny(const Token& token,
                                  Scratch& scratch,
                                  datafile::ColumnBuffer& column) const;
  std::optional<Reject> AppendNumber(const Token& token, datafile::ColumnBuffer& column) const;
  std::optional<Reject> AppendDecimal(const Token& token, datafile::ColumnBuffer& column) const;
  std::optional<Reject> AppendText(const Token& token,
                                   Scratch& scratch,
                                   datafile::ColumnBuffer& column) const;
  std::optional<Reject> AppendTime(const Token& token,
                                   Scratch& scratch,
                                   datafile::ColumnBuffer& column) const;
  Reject WrongKind(const Token& token, std::string_view wanted) const;
  Reject DoesNotFit(const Token& token, std::string_view why) const;

  FieldSpec spec_;
  datafile::TimestampUnit unit_;
  std::uint64_t unsigned_max_;  // of an unsigned field
  Plain plain_;
  std::int64_t plain_max_;  // of kInt32 and kInt64: what is sure to fit, of either sign that may be
  std::int64_t plain_min_;
};

inline bool FieldConverter::AppendPlain(const Token& token, datafile::ColumnBuffer& column) const {
  if (plain_ == Plain::kText) {
    if (token.kind != TokenKind::kString || token.escaped) return false;
    column.AddBytes(token.raw);
    return true;
  }
  const ShortNumber& number = token.number;
  if (!number.known) return false;
  if (plain_ == Plain::kFloat && number.digits <= kExactIntegers<float>) {
    const float value = static_cast<float>(number.digits) / kExactPowers<float>[number.scale];
    column.AddFloat(number.negative ? -value : value);
    return true;
  }
  if (plain_ == Plain::kDouble) {
    const double value = static_cast<double>(number.digits) / kExactPowers<double>[number.scale];
    column.AddDouble(number.negative ? -value : value);
    return true;
  }
  const std::int64_t value = number.negative ? -std::int64_t{number.digits} : number.digits;
  if (number.scale > 0 || value < plain_min_ || value > plain_max_) return false;
  if (plain_ == Plain::kInt64) {
    column.AddInt64(value);
    return true;
  }
  if (plain_ != Plain::kInt32) return false;
  column.AddInt32(static_cast<std::int32_t>(value));
  return true;
}

}  // namespace tidemark::edge

#pragma once
// One declared field: a JSON value becomes a column's value, exactly or not at all
// (docs/pipeline.md, "Types").

#include <cstdint>
#include <optional>
#include <string>

#include "datafile/column_buffer.h"
#include "datafile/segment_form.h"
#include "edge/dataset/dataset_spec.h"
#include "edge/dataset/json_scanner.h"
#include "edge/dataset/reject.h"
#include "edge/dataset/time_text.h"

namespace tidemark::edge {

// Nanoseconds of a sink's timestamp unit.
std::int64_t NanosPerUnit(datafile::TimestampUnit unit);

// A point in time from its token; kType or kNarrowing without a detail of the field's name.
std::optional<Reject> ReadInstant(const Token& token,
                                  TimeFormat format,
                                  std::string& scratch,
                                  Instant& instant);

// Not thread-safe: it keeps a scratch text.
class FieldConverter {
 public:
  FieldConverter(FieldSpec spec, const datafile::SegmentForm& form);

  // Appends the value of a token that is not absent, or gives a reject and appends nothing.
  std::optional<Reject> Append(const Token& token, datafile::ColumnBuffer& column);

  // Of payloads that are not JSON: the bytes as they are.
  std::optional<Reject> AppendPayload(std::string_view payload, datafile::ColumnBuffer& column);

  const FieldSpec& spec() const { return spec_; }

 private:
  std::optional<Reject> AppendNumber(const Token& token, datafile::ColumnBuffer& column);
  std::optional<Reject> AppendDecimal(const Token& token, datafile::ColumnBuffer& column);
  std::optional<Reject> AppendText(const Token& token, datafile::ColumnBuffer& column);
  std::optional<Reject> AppendTime(const Token& token, datafile::ColumnBuffer& column);
  Reject WrongKind(const Token& token, std::string_view wanted) const;
  Reject DoesNotFit(const Token& token, std::string_view why) const;

  FieldSpec spec_;
  datafile::TimestampUnit unit_;
  std::uint64_t unsigned_max_;  // of an unsigned field
  std::string scratch_;
};

}  // namespace tidemark::edge

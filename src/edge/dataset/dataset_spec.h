#pragma once
// A data set as the pipeline file declares it (docs/pipeline.md): which records it takes, how they
// are read and which columns they give. Plain values; the pipeline file's reader fills and checks
// them.

#include <optional>
#include <string>
#include <vector>

#include "format/column_type.h"

namespace tidemark::edge {

enum class PayloadKind { kJson, kText, kRaw };

enum class UnknownFields { kStrict, kLenient, kCapture };

enum class TimeFormat { kRfc3339, kEpochSeconds, kEpochMillis, kEpochMicros, kEpochNanos };

// Where a value comes from: a JSON pointer, relative to the element under explode, or of the whole
// document.
struct ValuePath {
  std::string pointer;
  bool document = false;  // written with a leading ^
};

struct FieldSpec {
  int id = 0;
  std::string name;
  format::ColumnType type;
  ValuePath from;
  bool required = false;
  std::string unit;
  TimeFormat time_format = TimeFormat::kRfc3339;  // of timestamps
  bool round_down = false;                        // of timestamps: digits beyond the unit may go
};

struct IdentitySpec {
  int id = 0;
  std::string name;
  std::string value_template;
};

struct EventTimeSpec {
  ValuePath from;
  TimeFormat format = TimeFormat::kRfc3339;
};

struct ExplodeSpec {
  std::string pointer;  // of the array
  int index_id = 0;     // 0: no index column
  std::string index_name;
  bool required = false;
};

struct DatasetSpec {
  std::string id;
  int version = 1;
  std::vector<std::string> sources;  // empty: any
  std::string topic_filter;          // empty: any topic
  PayloadKind payload = PayloadKind::kJson;
  std::vector<IdentitySpec> identity;
  std::optional<EventTimeSpec> event_time;
  UnknownFields unknown = UnknownFields::kStrict;
  std::optional<ExplodeSpec> explode;
  std::vector<FieldSpec> fields;
};

}  // namespace tidemark::edge

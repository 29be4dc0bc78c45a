#pragma once
// The columns of a data set's segments, with the field ids by which readers know them, and the
// fingerprint that names the schema in footers and in the catalog (docs/formats/segments.md).

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/column_type.h"

namespace tidemark::format {

// Field ids: 1-99 system, 100-999 identity and the explode index, from 1000 on declared.
inline constexpr int kIdentityIdMin = 100;
inline constexpr int kFieldIdMin = 1000;

enum class SystemColumn {
  kWalPosition = 1,
  kRow = 2,  // index inside the record: 0, or the element of an exploded array
  kIngestTime = 3,
  kEventTime = 4,
  kSource = 5,
  kTopic = 6,
  kUnmapped = 7,  // only where unknown fields are captured
};

struct SchemaColumn {
  int id = 0;
  std::string name;
  ColumnType type;
  bool required = false;
  std::string unit;  // metadata; not part of the fingerprint

  bool operator==(const SchemaColumn&) const = default;
};

struct SegmentSchema {
  std::string dataset;
  int version = 1;
  std::vector<SchemaColumn> columns;  // in file order: system, identity, index, declared
  // What else decides how the columns are to be understood: the unit of timestamps, what explodes.
  // Not part of the fingerprint.
  std::string form = {};

  bool operator==(const SegmentSchema&) const = default;
};

SchemaColumn SystemSchemaColumn(SystemColumn column);

// The text whose SHA-256 is the fingerprint: `version <n>\n`, then one line a column,
// `<id> <name> <type> required|optional\n`, in file order.
std::string CanonicalSchema(const SegmentSchema& schema);

// 64 hex digits.
std::string SchemaFingerprint(const SegmentSchema& schema);

// One line of JSON with everything the struct holds; ready/_tidemark/<dataset>/schema-<fp>.json.
std::string EncodeSchema(const SegmentSchema& schema);
// kCorruption names what is not as EncodeSchema writes it.
Result<SegmentSchema> DecodeSchema(std::string_view json);

}  // namespace tidemark::format

#include "format/segment_schema.h"

#include <fmt/format.h>

#include "base/check.h"
#include "base/digest.h"
#include "format/json_text_internal.h"

namespace tidemark::format {

namespace {

SchemaColumn Make(SystemColumn id, const char* name, ColumnKind kind, bool required) {
  return {.id = static_cast<int>(id),
          .name = name,
          .type = {.kind = kind, .precision = 0, .scale = 0},
          .required = required,
          .unit = {}};
}

Result<SchemaColumn> ColumnFrom(const nlohmann::json& object) {
  SchemaColumn column;
  TIDEMARK_TRY(const std::int64_t id, internal::IntField(object, "id"));
  column.id = static_cast<int>(id);
  TIDEMARK_TRY(column.name, internal::TextField(object, "name"));
  TIDEMARK_TRY(const std::string type, internal::TextField(object, "type"));
  TIDEMARK_TRY(column.type, ParseColumnType(type));
  TIDEMARK_TRY(const std::int64_t required, internal::IntField(object, "required"));
  column.required = required != 0;
  TIDEMARK_TRY(column.unit, internal::TextField(object, "unit"));
  return column;
}

}  // namespace

SchemaColumn SystemSchemaColumn(SystemColumn column) {
  switch (column) {
    case SystemColumn::kWalPosition:
      return Make(column, "_wal_position", ColumnKind::kI64, true);
    case SystemColumn::kRow:
      return Make(column, "_row", ColumnKind::kI32, true);
    case SystemColumn::kIngestTime:
      return Make(column, "_ingest_time", ColumnKind::kTimestamp, true);
    case SystemColumn::kEventTime:
      return Make(column, "_event_time", ColumnKind::kTimestamp, false);
    case SystemColumn::kSource:
      return Make(column, "_source", ColumnKind::kString, true);
    case SystemColumn::kTopic:
      return Make(column, "_topic", ColumnKind::kString, true);
    case SystemColumn::kUnmapped:
      return Make(column, "_unmapped", ColumnKind::kJson, false);
  }
  TIDEMARK_CHECK(false, "no system column {}", static_cast<int>(column));
}

std::string CanonicalSchema(const SegmentSchema& schema) {
  std::string text = fmt::format("version {}\n", schema.version);
  for (const SchemaColumn& column : schema.columns) {
    text += fmt::format("{} {} {} {}\n",
                        column.id,
                        column.name,
                        ToString(column.type),
                        column.required ? "required" : "optional");
  }
  return text;
}

std::string SchemaFingerprint(const SegmentSchema& schema) {
  return ToHex(Sha256Of(CanonicalSchema(schema)));
}

std::string EncodeSchema(const SegmentSchema& schema) {
  std::string columns = "[";
  for (const SchemaColumn& column : schema.columns) {
    if (columns.size() > 1) columns += ',';
    columns += internal::ObjectText()
                   .Int("id", column.id)
                   .Text("name", column.name)
                   .Text("type", ToString(column.type))
                   .Int("required", column.required ? 1 : 0)
                   .Text("unit", column.unit)
                   .Finish();
  }
  return internal::ObjectText()
      .Text("dataset", schema.dataset)
      .Int("version", schema.version)
      .Text("form", schema.form)
      .Json("columns", columns + "]")
      .Finish();
}

Result<SegmentSchema> DecodeSchema(std::string_view json) {
  TIDEMARK_TRY(const auto object, internal::ParseObject(json, "schema"));
  SegmentSchema schema;
  TIDEMARK_TRY(schema.dataset, internal::TextField(object, "dataset"));
  TIDEMARK_TRY(const std::int64_t version, internal::IntField(object, "version"));
  schema.version = static_cast<int>(version);
  TIDEMARK_TRY(schema.form, internal::TextField(object, "form"));
  TIDEMARK_TRY(const auto* columns, internal::ArrayField(object, "columns"));
  for (const auto& item : *columns) {
    TIDEMARK_TRY(SchemaColumn column, ColumnFrom(item));
    schema.columns.push_back(std::move(column));
  }
  return schema;
}

}  // namespace tidemark::format

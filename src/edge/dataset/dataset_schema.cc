#include "edge/dataset/dataset_schema.h"

namespace tidemark::edge {

namespace {

using format::ColumnKind;
using format::SystemColumn;

format::SchemaColumn Required(int id, const std::string& name, ColumnKind kind) {
  return {.id = id,
          .name = name,
          .type = {.kind = kind, .precision = 0, .scale = 0},
          .required = true,
          .unit = {}};
}

std::string FormOf(const DatasetSpec& spec, const datafile::SegmentForm& form) {
  const bool micros = form.timestamp_unit == datafile::TimestampUnit::kMicros;
  std::string text = micros ? "timestamps in micros" : "timestamps in nanos";
  if (spec.explode) text += ", explodes " + spec.explode->pointer;
  return text;
}

}  // namespace

format::SegmentSchema SchemaOf(const DatasetSpec& spec, const datafile::SegmentForm& form) {
  format::SegmentSchema schema{
      .dataset = spec.id, .version = spec.version, .columns = {}, .form = FormOf(spec, form)};
  for (const auto column : {SystemColumn::kWalPosition,
                            SystemColumn::kRow,
                            SystemColumn::kIngestTime,
                            SystemColumn::kEventTime,
                            SystemColumn::kSource,
                            SystemColumn::kTopic}) {
    schema.columns.push_back(format::SystemSchemaColumn(column));
  }
  if (spec.unknown == UnknownFields::kCapture) {
    schema.columns.push_back(format::SystemSchemaColumn(SystemColumn::kUnmapped));
  }
  for (const IdentitySpec& identity : spec.identity) {
    schema.columns.push_back(Required(identity.id, identity.name, ColumnKind::kString));
  }
  if (spec.explode && spec.explode->index_id != 0) {
    schema.columns.push_back(
        Required(spec.explode->index_id, spec.explode->index_name, ColumnKind::kI32));
  }
  for (const FieldSpec& field : spec.fields) {
    schema.columns.push_back({.id = field.id,
                              .name = field.name,
                              .type = datafile::StoredType(field.type, form.unsigned_policy),
                              .required = field.required,
                              .unit = field.unit});
  }
  return schema;
}

}  // namespace tidemark::edge

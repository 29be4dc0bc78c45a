#include "edge/segment/schema_evolution.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace tidemark::edge {

namespace {

using format::ColumnKind;
using format::SchemaColumn;
using format::SegmentSchema;

bool Widens(const format::ColumnType& from, const format::ColumnType& to) {
  constexpr ColumnKind kSigned[] = {
      ColumnKind::kI8, ColumnKind::kI16, ColumnKind::kI32, ColumnKind::kI64};
  const auto* const narrow = std::ranges::find(kSigned, from.kind);
  const auto* const wide = std::ranges::find(kSigned, to.kind);
  if (narrow != std::end(kSigned) && wide != std::end(kSigned)) return narrow < wide;
  return (from.kind == ColumnKind::kU8 && to.kind == ColumnKind::kU16) ||
         (from.kind == ColumnKind::kF32 && to.kind == ColumnKind::kF64);
}

std::string Words(const SchemaColumn& column) {
  return fmt::format("{{ id: {}, name: {}, type: {}, {}{} }}",
                     column.id,
                     column.name,
                     format::ToString(column.type),
                     column.required ? "required" : "optional",
                     column.unit.empty() ? "" : ", unit: " + column.unit);
}

const SchemaColumn* Find(const SegmentSchema& schema, int id) {
  const auto found = std::ranges::find(schema.columns, id, &SchemaColumn::id);
  return found == schema.columns.end() ? nullptr : &*found;
}

// The reason why a column may not change so; empty: it may.
std::string ReasonAgainst(const SchemaColumn& last, const SchemaColumn& now) {
  const bool same_type = last.type == now.type;
  if (last.name != now.name) return same_type ? "schema.rename" : "schema.id_reused";
  if (Widens(now.type, last.type)) return "schema.narrowing";
  if (!same_type && !Widens(last.type, now.type)) return "schema.type";
  if (last.required != now.required) return "schema.required";
  return last.unit != now.unit ? "schema.unit" : "";
}

void CompareColumns(const SegmentSchema& last,
                    const SegmentSchema& now,
                    std::vector<std::string>& faults) {
  for (const SchemaColumn& column : last.columns) {
    const SchemaColumn* other = Find(now, column.id);
    if (other == nullptr) {
      faults.push_back(fmt::format("schema.dropped: {}", Words(column)));
    } else if (const std::string why = ReasonAgainst(column, *other); !why.empty()) {
      faults.push_back(fmt::format("{}: {} was {}", why, Words(*other), Words(column)));
    }
  }
  for (const SchemaColumn& column : now.columns) {
    if (Find(last, column.id) == nullptr && column.required) {
      faults.push_back(fmt::format("schema.required: {} is new, and not optional", Words(column)));
    }
  }
}

}  // namespace

Status CheckEvolution(const SegmentSchema& last, const SegmentSchema& declared) {
  std::vector<std::string> faults;
  CompareColumns(last, declared, faults);
  if (last.form != declared.form) {
    faults.push_back(fmt::format("schema.type: {} was {}", declared.form, last.form));
  }
  if (faults.empty()) return {};
  std::string message = fmt::format(
      "data set {} (version {}) may not change so:", declared.dataset, declared.version);
  for (const std::string& fault : faults) message += "\n  " + fault;
  return Fail(
      ErrorCode::kPreconditionFailed,
      message + fmt::format("\ndeclare it with `version: {}`: its files then lie in a folder "
                            "of their own",
                            declared.version + 1));
}

Status CheckKeptSchema(SinkFolder& folder, const std::string& name, const SegmentSchema& declared) {
  const std::string file = name + ".json";
  TIDEMARK_TRY(const auto kept, ReadWhole(folder.files, folder.Sub(file)));
  if (!kept) return {};
  const auto last = format::DecodeSchema(*kept);
  if (!last) return Annotate(last.error(), folder.Sub(file));
  return CheckEvolution(*last, declared);
}

Status KeepSchema(SinkFolder& folder, const std::string& name, const SegmentSchema& declared) {
  TIDEMARK_TRY_VOID(CheckKeptSchema(folder, name, declared));
  const std::string file = name + ".json";
  const std::string text = format::EncodeSchema(declared) + "\n";
  TIDEMARK_TRY(const auto kept, ReadWhole(folder.files, folder.Sub(file)));
  if (kept == text) return {};
  TIDEMARK_TRY([[maybe_unused]] const auto written, ReplaceDurably(folder, file, text));
  return {};
}

Status PublishSchema(SinkFolder& sink,
                     const std::string& folder,
                     const format::SegmentSchema& schema) {
  const std::string name = fmt::format("schema-{}.json", format::SchemaFingerprint(schema));
  SinkFolder target(sink.files, sink.Sub("ready/_tidemark/" + folder));
  TIDEMARK_TRY(const auto there, sink.files.SizeOf(target.Sub(name)));
  if (there) return {};
  TIDEMARK_TRY([[maybe_unused]] const auto written,
               ReplaceDurably(target, name, format::EncodeSchema(schema) + "\n"));
  return {};
}

}  // namespace tidemark::edge

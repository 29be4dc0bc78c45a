#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "edge/config/read_sections.h"
#include "edge/dataset/dataset_decoder.h"
#include "edge/dataset/dataset_schema.h"
#include "edge/dataset/json_pointer.h"
#include "edge/dataset/text_template.h"
#include "edge/dataset/topic_filter.h"

namespace tidemark::edge {

namespace {

constexpr int kIdMax = 2'000'000'000;

const std::vector<std::string> kTimeFormats = {
    "rfc3339", "epoch_s", "epoch_ms", "epoch_us", "epoch_ns"};

TimeFormat ReadTimeFormat(YamlMap& map) {
  const std::string format = map.Choice("format", "rfc3339", kTimeFormats);
  const auto index = std::ranges::find(kTimeFormats, format) - kTimeFormats.begin();
  return static_cast<TimeFormat>(index);
}

ValuePath ReadPath(YamlMap& map, const std::string& key, const std::string& otherwise) {
  std::string text = map.Text(key, otherwise);
  ValuePath path;
  path.document = text.starts_with('^');
  if (path.document) text.erase(0, 1);
  path.pointer = std::move(text);
  if (const auto keys = ParsePointer(path.pointer); !keys) map.Fault(key, keys.error().message);
  return path;
}

// DuckDB, Spark, Trino and Hive take `Seq` and `seq` for one name. ASCII alone, as DuckDB.
std::string WithoutCase(std::string name) {
  for (char& c : name) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return name;
}

// Names under which a reader would find something else than the column.
void CheckColumnName(YamlMap& map, const std::string& name) {
  if (const std::string key = WithoutCase(name); key == "date" || key == "hour") {
    map.Fault("",
              fmt::format("no column may be called {}: the folder {}= of the path is, and readers "
                          "take no notice of case",
                          name,
                          key));
  } else if (name.starts_with('_')) {
    map.Fault("", fmt::format("{}: names that begin with _ belong to the system", name));
  } else if (std::ranges::any_of(name, [](char c) { return (c >= 0 && c <= ' ') || c == 0x7f; })) {
    map.Fault("", fmt::format("\"{}\": a name has no blanks and no control characters", name));
  }
}

int ReadId(YamlMap& map, int min, int max) {
  if (!map.Has("id"))
    map.Fault("", "`id` is missing: the field id by which readers know the column");
  return static_cast<int>(map.Int("id", min, min, max));
}

void ReadMatch(YamlMap map, DatasetSpec& spec) {
  spec.sources = map.Texts("source");
  spec.topic_filter = map.Text("topic", "");
  if (!spec.topic_filter.empty()) {
    if (const Status valid = CheckTopicFilter(spec.topic_filter); !valid) {
      map.Fault("topic", valid.error().message);
    }
  }
  map.Done();
}

void ReadIdentity(YamlMap& map, DatasetSpec& spec) {
  for (auto& [name, entry] : map.Entries("identity")) {
    IdentitySpec identity;
    identity.name = name;
    if (name.empty()) entry.Fault("", "a column has a name");
    CheckColumnName(entry, name);
    identity.id = ReadId(entry, format::kIdentityIdMin, format::kFieldIdMin - 1);
    identity.value_template = entry.RequiredText("template");
    const auto parts = ParseTemplate(identity.value_template);
    if (!parts) {
      entry.Fault("template", parts.error().message);
    } else if (spec.payload != PayloadKind::kJson) {
      for (const TemplatePart& part : *parts) {
        if (part.kind == TemplatePart::Kind::kJson) {
          entry.Fault("template", "{json:...} needs `decode: json`");
        }
      }
    }
    entry.Done();
    spec.identity.push_back(std::move(identity));
  }
  std::ranges::sort(spec.identity, {}, &IdentitySpec::id);
}

void ReadEventTime(YamlMap& map, DatasetSpec& spec) {
  if (!map.Has("event_time")) return;
  YamlMap inner = map.Map("event_time");
  if (!inner.Has("from")) inner.Fault("", "`from` is missing");
  spec.event_time =
      EventTimeSpec{.from = ReadPath(inner, "from", ""), .format = ReadTimeFormat(inner)};
  inner.Done();
  if (spec.payload != PayloadKind::kJson) map.Fault("event_time", "it needs `decode: json`");
}

void ReadExplode(YamlMap& map, DatasetSpec& spec) {
  if (!map.Has("explode")) return;
  YamlMap inner = map.Map("explode");
  if (!inner.Has("from")) inner.Fault("", "`from` is missing");
  const ValuePath from = ReadPath(inner, "from", "");
  if (from.document) inner.Fault("from", "it is a place of the document; leave the ^ out");
  ExplodeSpec explode;
  explode.pointer = from.pointer;
  explode.required = inner.Bool("required", false);
  if (inner.Has("index")) {
    YamlMap index = inner.Map("index");
    explode.index_id = ReadId(index, format::kIdentityIdMin, format::kFieldIdMin - 1);
    explode.index_name = index.RequiredText("name");
    CheckColumnName(index, explode.index_name);
    index.Done();
  }
  inner.Done();
  if (spec.payload != PayloadKind::kJson) map.Fault("explode", "it needs `decode: json`");
  spec.explode = explode;
}

void CheckPayloadField(YamlMap& map, const DatasetSpec& spec, const FieldSpec& field) {
  using format::ColumnKind;
  if (spec.payload == PayloadKind::kJson) {
    if (field.from.document && !spec.explode) {
      map.Fault("from", "^ tells document from element, and nothing explodes here");
    }
    return;
  }
  const bool text = spec.payload == PayloadKind::kText;
  if (!field.from.pointer.empty()) {
    map.Fault("from", "without `decode: json` it is \"\", the whole payload");
  }
  const ColumnKind kind = field.type.kind;
  const bool fits = kind == ColumnKind::kBinary ||
                    (text && (kind == ColumnKind::kString || kind == ColumnKind::kJson));
  if (!fits) {
    map.Fault("type",
              text ? "of `decode: text` a field is string, json or binary"
                   : "of `decode: raw` a field is binary");
  }
}

// Ids and names, over all columns of the data set.
void CheckUnique(YamlMap& map, const DatasetSpec& spec) {
  std::set<int> ids;
  std::map<std::string, std::string> names;  // as declared, by the name without case
  for (const auto& column : SchemaOf(spec, datafile::SegmentForm()).columns) {
    if (!ids.insert(column.id).second) {
      map.Fault("", fmt::format("field id {} is used twice, by {} again", column.id, column.name));
    }
    const auto [other, is_new] = names.emplace(WithoutCase(column.name), column.name);
    if (is_new) continue;
    map.Fault("",
              other->second == column.name
                  ? fmt::format("two columns are called {}", column.name)
                  : fmt::format("columns {} and {} are one to readers, who take no notice of case",
                                other->second,
                                column.name));
  }
}

}  // namespace

FieldSpec ReadField(YamlMap& map) {
  FieldSpec field;
  field.id = ReadId(map, format::kFieldIdMin, kIdMax);
  field.name = map.RequiredText("name");
  CheckColumnName(map, field.name);
  const std::string type = map.RequiredText("type");
  if (auto parsed = format::ParseColumnType(type)) {
    field.type = *parsed;
  } else if (!type.empty()) {
    map.Fault("type", parsed.error().message);
  }
  std::string own_pointer;
  AppendPointerKey(field.name, own_pointer);
  field.from = ReadPath(map, "from", own_pointer);
  field.required = map.Bool("required", false);
  field.unit = map.Text("unit", "");
  if (field.type.kind == format::ColumnKind::kTimestamp) {
    field.time_format = ReadTimeFormat(map);
    field.round_down = map.Choice("round", "no", {"no", "down"}) == "down";
  }
  map.Done();
  return field;
}

DatasetSpec ReadDataset(YamlMap map) {
  DatasetSpec spec;
  spec.id = map.RequiredText("id");
  CheckName(map, "id", spec.id);
  if (spec.id.starts_with('_')) map.Fault("id", "ids that begin with _ belong to the system");
  spec.version = static_cast<int>(map.Int("version", 1, 1, kIdMax));
  const std::string decode = map.Choice("decode", "json", {"json", "text", "raw"});
  spec.payload = decode == "json"   ? PayloadKind::kJson
                 : decode == "text" ? PayloadKind::kText
                                    : PayloadKind::kRaw;
  ReadMatch(map.Map("match"), spec);
  ReadIdentity(map, spec);
  ReadEventTime(map, spec);
  const std::string unknown = map.Choice("unknown", "strict", {"strict", "lenient", "capture"});
  spec.unknown = unknown == "strict"    ? UnknownFields::kStrict
                 : unknown == "lenient" ? UnknownFields::kLenient
                                        : UnknownFields::kCapture;
  ReadExplode(map, spec);
  for (YamlMap& field : map.List("fields")) {
    spec.fields.push_back(ReadField(field));
    CheckPayloadField(field, spec, spec.fields.back());
  }
  map.Done();
  CheckUnique(map, spec);
  return spec;
}

}  // namespace tidemark::edge

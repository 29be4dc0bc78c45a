#include "format/manifest.h"

#include "format/json_text_internal.h"

namespace tidemark::format {

namespace {

using internal::ArrayField;
using internal::IntField;
using internal::IsoField;
using internal::ObjectText;
using internal::ParseObject;
using internal::TextField;

std::string ObjectsText(const std::vector<ManifestObject>& objects) {
  std::string text = "[";
  for (const auto& object : objects) {
    if (text.size() > 1) text += ',';
    ObjectText entry;
    entry.Text("key", object.key)
        .Int("bytes", object.bytes)
        .Int("records", object.records)
        .Text("sha256", object.sha256);
    if (object.lane) {
      entry.Text("partition", object.lane->partition)
          .Int("firstOffset", object.lane->first.value())
          .Int("lastOffset", object.lane->last.value());
    }
    text += entry.Finish();
  }
  return text + "]";
}

Result<ManifestObject> ObjectFrom(const nlohmann::json& entry) {
  ManifestObject object;
  TIDEMARK_TRY(object.key, TextField(entry, "key"));
  TIDEMARK_TRY(object.bytes, IntField(entry, "bytes"));
  TIDEMARK_TRY(object.records, IntField(entry, "records"));
  TIDEMARK_TRY(object.sha256, TextField(entry, "sha256"));
  if (!entry.contains("partition")) return object;
  ManifestObject::Lane lane;
  TIDEMARK_TRY(lane.partition, TextField(entry, "partition"));
  TIDEMARK_TRY(const auto first, IntField(entry, "firstOffset"));
  TIDEMARK_TRY(const auto last, IntField(entry, "lastOffset"));
  lane.first = Offset(first);
  lane.last = Offset(last);
  object.lane = std::move(lane);
  return object;
}

Result<std::vector<ManifestObject>> ObjectsFrom(const nlohmann::json& document) {
  TIDEMARK_TRY(const auto* entries, ArrayField(document, "objects"));
  std::vector<ManifestObject> objects;
  objects.reserve(entries->size());
  for (const auto& entry : *entries) {
    TIDEMARK_TRY(auto object, ObjectFrom(entry));
    objects.push_back(std::move(object));
  }
  return objects;
}

Result<std::optional<Micros>> OptionalMicros(const nlohmann::json& document, const char* name) {
  if (!document.contains(name)) return std::nullopt;
  TIDEMARK_TRY(const auto value, IntField(document, name));
  return Micros(value);
}

Result<Window> WindowFrom(const nlohmann::json& document) {
  TIDEMARK_TRY(const auto k, IntField(document, "k"));
  TIDEMARK_TRY(const auto start, IntField(document, "tStart"));
  TIDEMARK_TRY(const auto end, IntField(document, "tEnd"));
  return Window{WindowNumber(k), Micros(start), Micros(end)};
}

Result<Manifest> ManifestFrom(const nlohmann::json& document) {
  Manifest m;
  TIDEMARK_TRY(m.sink, TextField(document, "sink"));
  TIDEMARK_TRY(m.queue, TextField(document, "queue"));
  TIDEMARK_TRY(m.window, WindowFrom(document));
  TIDEMARK_TRY(m.format, TextField(document, "format"));
  TIDEMARK_TRY(m.compression, TextField(document, "compression"));
  TIDEMARK_TRY(m.layout, TextField(document, "layout"));
  TIDEMARK_TRY(m.objects, ObjectsFrom(document));
  TIDEMARK_TRY(m.records, IntField(document, "records"));
  TIDEMARK_TRY(m.bytes, IntField(document, "bytes"));
  TIDEMARK_TRY(m.partitions, IntField(document, "partitions"));
  TIDEMARK_TRY(m.min_ts, OptionalMicros(document, "minTs"));
  TIDEMARK_TRY(m.max_ts, OptionalMicros(document, "maxTs"));
  TIDEMARK_TRY(const auto* lost, ArrayField(document, "lost"));
  TIDEMARK_TRY(m.lost, internal::LostRangesFrom(*lost));
  TIDEMARK_TRY(m.writer, TextField(document, "writer"));
  TIDEMARK_TRY(m.committed_at, IsoField(document, "committedAt"));
  return m;
}

Result<Complete> CompleteFrom(const nlohmann::json& document) {
  Complete c;
  TIDEMARK_TRY(c.queue, TextField(document, "queue"));
  TIDEMARK_TRY(const auto k, IntField(document, "k"));
  TIDEMARK_TRY(c.complete_through, IsoField(document, "completeThrough"));
  TIDEMARK_TRY(c.lost, IntField(document, "lost"));
  TIDEMARK_TRY(c.updated_at, IsoField(document, "updatedAt"));
  c.k = WindowNumber(k);
  return c;
}

}  // namespace

std::string EncodeManifest(const Manifest& m) {
  ObjectText text;
  text.Text("sink", m.sink)
      .Text("queue", m.queue)
      .Int("k", m.window.k.value())
      .Int("tStart", m.window.start.value())
      .Int("tEnd", m.window.end.value())
      .Text("format", m.format)
      .Text("compression", m.compression)
      .Text("layout", m.layout)
      .Json("objects", ObjectsText(m.objects))
      .Int("records", m.records)
      .Int("bytes", m.bytes)
      .Int("partitions", m.partitions);
  if (m.min_ts) text.Int("minTs", m.min_ts->value());
  if (m.max_ts) text.Int("maxTs", m.max_ts->value());
  text.Json("lost", internal::LostRangesText(m.lost))
      .Text("writer", m.writer)
      .Text("committedAt", FormatIso(FloorTo(m.committed_at, kMicrosPerMilli)));
  return text.Finish();
}

Result<Manifest> DecodeManifest(std::string_view json) {
  TIDEMARK_TRY(const auto document, ParseObject(json, "the manifest"));
  auto manifest = ManifestFrom(document);
  if (!manifest) return Annotate(std::move(manifest.error()), "manifest");
  return manifest;
}

std::string EncodeComplete(const Complete& complete) {
  return ObjectText()
      .Text("queue", complete.queue)
      .Int("k", complete.k.value())
      .Text("completeThrough", FormatIso(complete.complete_through))
      .Int("lost", complete.lost)
      .Text("updatedAt", FormatIso(FloorTo(complete.updated_at, kMicrosPerMilli)))
      .Finish();
}

Result<Complete> DecodeComplete(std::string_view json) {
  TIDEMARK_TRY(const auto document, ParseObject(json, "complete.json"));
  auto complete = CompleteFrom(document);
  if (!complete) return Annotate(std::move(complete.error()), "complete.json");
  return complete;
}

}  // namespace tidemark::format

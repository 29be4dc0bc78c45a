#include "format/kv_documents.h"

#include <fmt/format.h>

#include "format/json_text_internal.h"
#include "format/object_key.h"

namespace tidemark::format {

namespace {

using internal::IntField;
using internal::ObjectText;
using internal::ParseObject;
using internal::TextField;
using nlohmann::json;

std::string KvKey(std::string_view sink, std::string_view queue, std::string_view what) {
  return fmt::format("s3:{}:{}:{}", sink, EscapeName(queue), what);
}

// Integer microseconds (1.5.0) or ISO-8601 with Z.
Result<Micros> TimeField(const json& document, const char* name) {
  const auto it = document.find(name);
  if (it != document.end() && it->is_string()) return internal::IsoField(document, name);
  TIDEMARK_TRY(const auto value, IntField(document, name));
  return Micros(value);
}

Result<std::int64_t> IntOr(const json& document, const char* name, std::int64_t otherwise) {
  return document.contains(name) ? IntField(document, name) : otherwise;
}

Result<std::string> TextOr(const json& document, const char* name, std::string_view otherwise) {
  return document.contains(name) ? TextField(document, name) : std::string(otherwise);
}

// A spelling that is none is damage here, not a wrong argument.
template <typename T>
Result<T> Stored(Result<T> parsed) {
  if (!parsed) parsed.error().code = ErrorCode::kCorruption;
  return parsed;
}

bool Fits(DataFormat format, Codec codec) {
  if (codec == Codec::kZstd) return true;
  const bool is_parquet_codec = codec == Codec::kSnappy;
  return is_parquet_codec == (format == DataFormat::kParquet);
}

// 1.5.0 writes snappy Parquet as compression "none", and no codec.
Result<Codec> CodecFrom(const json& document, DataFormat format) {
  TIDEMARK_TRY(const auto compression, TextField(document, "compression"));
  TIDEMARK_TRY(const auto spelling, TextOr(document, "codec", compression));
  TIDEMARK_TRY(auto codec, Stored(ParseCodec(spelling)));
  if (format == DataFormat::kParquet && codec == Codec::kNone) codec = Codec::kSnappy;
  if (Fits(format, codec)) return codec;
  return Fail(ErrorCode::kCorruption,
              fmt::format("{} is never compressed with {}", ToString(format), spelling));
}

Result<Form> FormFrom(const json& document, const Form& defaults) {
  Form form;
  TIDEMARK_TRY(const auto format, TextField(document, "format"));
  TIDEMARK_TRY(form.data_format, Stored(ParseDataFormat(format)));
  TIDEMARK_TRY(form.codec, CodecFrom(document, form.data_format));
  TIDEMARK_TRY(const auto layout, TextField(document, "layout"));
  TIDEMARK_TRY(form.layout, Stored(ParseLayout(layout)));
  TIDEMARK_TRY(form.prefix, TextOr(document, "prefix", defaults.prefix));
  TIDEMARK_TRY(const auto align, TextOr(document, "align", ToString(defaults.align)));
  TIDEMARK_TRY(form.align, Stored(ParseAlign(align)));
  TIDEMARK_TRY(form.row_group_records,
               IntOr(document, "rowGroupRecords", defaults.row_group_records));
  if (form.row_group_records < 1) {
    return Fail(ErrorCode::kCorruption, "field \"rowGroupRecords\" is not positive");
  }
  return form;
}

Result<Intent> IntentFrom(const json& document, const Form& defaults) {
  Intent intent;
  TIDEMARK_TRY(const auto k, IntField(document, "k"));
  TIDEMARK_TRY(intent.window.start, TimeField(document, "tStart"));
  TIDEMARK_TRY(intent.window.end, TimeField(document, "tEnd"));
  TIDEMARK_TRY(intent.form, FormFrom(document, defaults));
  TIDEMARK_TRY(intent.writer, TextField(document, "writer"));
  intent.window.k = WindowNumber(k);
  if (document.contains("records")) {
    TIDEMARK_TRY(intent.records, IntField(document, "records"));
  }
  if (document.contains("lost")) {
    TIDEMARK_TRY(intent.lost, internal::LostRangesFrom(document["lost"]));
  }
  TIDEMARK_TRY(intent.lost_sidecar, TextOr(document, "lostSidecar", ""));
  if (document.contains("rows")) {
    TIDEMARK_TRY(intent.rows, internal::LostRangesFrom(document["rows"]));
  }
  return intent;
}

Result<Committed> CommittedFrom(const json& document) {
  Committed committed;
  TIDEMARK_TRY(const auto k, IntField(document, "k"));
  TIDEMARK_TRY(committed.t_end, TimeField(document, "tEnd"));
  TIDEMARK_TRY(committed.manifest, TextField(document, "manifest"));
  TIDEMARK_TRY(committed.records, IntField(document, "records"));
  TIDEMARK_TRY(committed.bytes, IntField(document, "bytes"));
  TIDEMARK_TRY(committed.committed_at_ms, IntOr(document, "committedAtMs", 0));
  committed.k = WindowNumber(k);
  return committed;
}

Result<Lease> LeaseFrom(const json& document) {
  Lease lease;
  TIDEMARK_TRY(lease.instance, TextField(document, "instance"));
  TIDEMARK_TRY(lease.incarnation, TextField(document, "incarnation"));
  TIDEMARK_TRY(lease.since_ms, IntField(document, "sinceMs"));
  return lease;
}

template <typename T>
Result<T> Named(Result<T> decoded, std::string_view what) {
  if (!decoded) return Annotate(std::move(decoded.error()), what);
  return decoded;
}

}  // namespace

std::string IntentKey(std::string_view sink, std::string_view queue) {
  return KvKey(sink, queue, "intent");
}

std::string CommittedKey(std::string_view sink, std::string_view queue) {
  return KvKey(sink, queue, "committed");
}

std::string LeaseKey(std::string_view sink, std::string_view queue) {
  return KvKey(sink, queue, "lease");
}

std::string EncodeIntent(const Intent& intent) {
  ObjectText text;
  text.Int("k", intent.window.k.value())
      .Text("tStart", FormatIso(intent.window.start))
      .Text("tEnd", FormatIso(intent.window.end))
      .Text("format", ToString(intent.form.data_format))
      .Text("compression", ToString(intent.form.codec))
      .Text("layout", ToString(intent.form.layout))
      .Text("writer", intent.writer)
      .Text("prefix", intent.form.prefix)
      .Text("align", ToString(intent.form.align))
      .Text("codec", ToString(intent.form.codec))
      .Int("rowGroupRecords", intent.form.row_group_records);
  if (intent.records) text.Int("records", *intent.records);
  text.Json("lost", internal::LostRangesText(intent.lost));
  if (!intent.lost_sidecar.empty()) text.Text("lostSidecar", intent.lost_sidecar);
  if (!intent.rows.empty()) text.Json("rows", internal::LostRangesText(intent.rows));
  return text.Finish();
}

std::string EncodeIntentFor15(const Intent& intent) {
  const bool is_snappy = intent.form.codec == Codec::kSnappy;
  return ObjectText()
      .Int("k", intent.window.k.value())
      .Int("tStart", intent.window.start.value())
      .Int("tEnd", intent.window.end.value())
      .Text("format", ToString(intent.form.data_format))
      .Text("compression", is_snappy ? "none" : ToString(intent.form.codec))
      .Text("layout", ToString(intent.form.layout))
      .Text("writer", intent.writer)
      .Finish();
}

std::string EncodeCommitted(const Committed& committed) {
  return ObjectText()
      .Int("k", committed.k.value())
      .Text("tEnd", FormatIso(committed.t_end))
      .Text("manifest", committed.manifest)
      .Int("records", committed.records)
      .Int("bytes", committed.bytes)
      .Int("committedAtMs", committed.committed_at_ms)
      .Finish();
}

std::string EncodeCommittedFor15(const Committed& committed) {
  return ObjectText()
      .Int("k", committed.k.value())
      .Int("tEnd", committed.t_end.value())
      .Text("manifest", committed.manifest)
      .Int("records", committed.records)
      .Int("bytes", committed.bytes)
      .Int("committedAtMs", committed.committed_at_ms)
      .Finish();
}

std::string EncodeLease(const Lease& lease) {
  return ObjectText()
      .Text("instance", lease.instance)
      .Text("incarnation", lease.incarnation)
      .Int("sinceMs", lease.since_ms)
      .Finish();
}

Result<Intent> DecodeIntent(std::string_view json_text, const Form& defaults) {
  TIDEMARK_TRY(const auto document, ParseObject(json_text, "the intent"));
  return Named(IntentFrom(document, defaults), "intent");
}

Result<Committed> DecodeCommitted(std::string_view json_text) {
  TIDEMARK_TRY(const auto document, ParseObject(json_text, "the committed pointer"));
  return Named(CommittedFrom(document), "committed");
}

Result<Lease> DecodeLease(std::string_view json_text) {
  TIDEMARK_TRY(const auto document, ParseObject(json_text, "the lease"));
  return Named(LeaseFrom(document), "lease");
}

std::string EncodeLostRanges(const std::vector<LostRange>& lost) {
  return internal::LostRangesText(lost);
}

Result<std::vector<LostRange>> DecodeLostRanges(std::string_view json_text) {
  const auto parsed = json::parse(json_text, nullptr, /*allow_exceptions=*/false);
  return Named(internal::LostRangesFrom(parsed), "lost sidecar");
}

}  // namespace tidemark::format

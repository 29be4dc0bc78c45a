// edge/dataset: JSON of unknown senders into columns. A decoder that has seen the document before
// (and knows how it is laid out) says the same of it as a new one.

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/check.h"
#include "edge/dataset/dataset_decoder.h"

namespace tidemark::fuzz {

namespace {

edge::FieldSpec Field(int id, const std::string& name, std::string_view type) {
  edge::FieldSpec field;
  field.id = id;
  field.name = name;
  field.type = format::ParseColumnType(type).value();
  field.from.pointer = "/" + name;
  return field;
}

edge::DatasetSpec Spec(bool explodes) {
  edge::DatasetSpec spec;
  spec.id = "all";
  spec.unknown = edge::UnknownFields::kCapture;
  spec.event_time = edge::EventTimeSpec{.from = {.pointer = "/at", .document = explodes}};
  spec.identity = {{.id = 100, .name = "who", .value_template = "{json:/who}"}};
  constexpr std::string_view kTypes[] = {"bool",
                                         "i8",
                                         "u16",
                                         "i32",
                                         "u64",
                                         "f32",
                                         "f64",
                                         "date",
                                         "string",
                                         "binary",
                                         "json",
                                         "decimal(9,3)",
                                         "decimal(30,9)",
                                         "timestamp"};
  for (const std::string_view type : kTypes) {
    const std::string name(1, static_cast<char>('a' + spec.fields.size()));
    spec.fields.push_back(Field(1000 + static_cast<int>(spec.fields.size()), name, type));
  }
  if (explodes) {
    spec.explode = edge::ExplodeSpec{.pointer = "/rows", .index_id = 101, .index_name = "i"};
  }
  return spec;
}

// A decoder with what it made of its last record.
class Mapping {
 public:
  explicit Mapping(const edge::DatasetSpec& spec)
      : decoder_(edge::DatasetDecoder::Create(spec, "node", {}).value()),
        batch(datafile::NewBatch(decoder_->schema())) {}

  void Decode(std::string_view padded, std::size_t size) {
    batch.Clear();
    const format::WalRecord record{.position = Position(1),
                                   .ingest_time = Micros(1),
                                   .source = "s",
                                   .topic = "t",
                                   .token = {},
                                   .payload = padded.substr(0, size)};
    outcome = decoder_->Decode(record, batch, span_);
  }

 private:
  std::unique_ptr<edge::DatasetDecoder> decoder_;
  edge::EventTimeSpan span_;

 public:
  datafile::ColumnBatch batch;
  edge::DecodeOutcome outcome;
};

bool IsSame(const datafile::ColumnBuffer& a, const datafile::ColumnBuffer& b) {
  // Floats by their bits: what JSON gives is never NaN.
  return a.rows() == b.rows() && a.presence() == b.presence() && a.bools() == b.bools() &&
         a.int32s() == b.int32s() && a.int64s() == b.int64s() && a.floats() == b.floats() &&
         a.doubles() == b.doubles() && a.bytes() == b.bytes() && a.ends() == b.ends();
}

void CheckSame(const Mapping& a, const Mapping& b) {
  const auto& [reject, unknown] = a.outcome;
  TIDEMARK_CHECK(reject.has_value() == b.outcome.reject.has_value(), "one took it");
  if (reject) {
    TIDEMARK_CHECK(reject->reason == b.outcome.reject->reason, "{}", reject->detail);
    TIDEMARK_CHECK(reject->detail == b.outcome.reject->detail, "{}", reject->detail);
  }
  TIDEMARK_CHECK(unknown == b.outcome.unknown_dropped, "unknown");
  for (std::size_t i = 0; i < a.batch.columns.size(); ++i) {
    TIDEMARK_CHECK(IsSame(a.batch.columns[i], b.batch.columns[i]), "column {}", i);
  }
}

}  // namespace

void JsonMapping(std::string_view bytes) {
  static const edge::DatasetSpec kSpecs[] = {Spec(false), Spec(true)};
  // Exactly so much may be looked at.
  std::string padded(bytes);
  padded.append(64, '\0');
  padded.shrink_to_fit();
  for (const edge::DatasetSpec& spec : kSpecs) {
    Mapping warm(spec);
    warm.Decode(padded, bytes.size());
    Mapping fresh(spec);
    fresh.Decode(padded, bytes.size());
    CheckSame(warm, fresh);
    warm.Decode(padded, bytes.size());
    CheckSame(warm, fresh);
    const bool is_json = nlohmann::json::accept(bytes);
    TIDEMARK_CHECK(fresh.outcome.reject || is_json, "took what is no JSON");
  }
}

}  // namespace tidemark::fuzz

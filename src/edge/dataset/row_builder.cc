#include "edge/dataset/row_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "edge/dataset/json_string.h"
#include "edge/dataset/topic_filter.h"

namespace tidemark::edge {

namespace {

using datafile::ColumnBatch;
using datafile::ColumnBuffer;

Reject Merged(std::vector<Reject>& faults) {
  Reject first = std::move(faults.front());
  for (std::size_t i = 1; i < faults.size(); ++i) {
    first.detail += fmt::format("; {} {}", faults[i].reason, faults[i].detail);
  }
  faults.clear();
  return first;
}

}  // namespace

Result<RowBuilder> RowBuilder::Create(const DatasetSpec& spec,
                                      const std::string& node_id,
                                      const datafile::SegmentForm& form,
                                      JsonShape& document,
                                      JsonShape& element) {
  const auto place_of = [&](const ValuePath& path) -> Result<Place> {
    TIDEMARK_TRY(const int slot, (path.document ? document : element).AddSlot(path.pointer));
    return Place{.slot = slot, .document = path.document};
  };
  RowBuilder builder;
  builder.node_id_ = node_id;
  builder.nanos_per_unit_ = NanosPerUnit(form.timestamp_unit);
  builder.captures_ = spec.unknown == UnknownFields::kCapture;
  builder.has_index_ = spec.explode && spec.explode->index_id != 0;
  builder.event_time_ = spec.event_time;
  if (spec.event_time) {
    TIDEMARK_TRY(builder.event_time_place_, place_of(spec.event_time->from));
  }
  for (const IdentitySpec& identity : spec.identity) {
    Identity made{.name = identity.name, .parts = {}, .slots = {}};
    TIDEMARK_TRY(made.parts, ParseTemplate(identity.value_template));
    for (const TemplatePart& part : made.parts) {
      if (part.kind != TemplatePart::Kind::kJson) continue;
      TIDEMARK_TRY(const int slot, document.AddSlot(part.text));
      made.slots.push_back(slot);
    }
    builder.identities_.push_back(std::move(made));
  }
  for (const FieldSpec& field : spec.fields) {
    Place place;
    if (spec.payload == PayloadKind::kJson) {
      TIDEMARK_TRY(place, place_of(field.from));
    }
    builder.fields_.push_back({.converter = FieldConverter(field, form), .place = place});
  }
  return builder;
}

std::optional<Reject> RowBuilder::Append(const RowSource& source,
                                         ColumnBatch& batch,
                                         EventTimeSpan& span) {
  AppendSystem(source, batch, span);
  std::size_t column = 6;
  if (captures_) {
    ColumnBuffer& unmapped = batch.columns[column++];
    source.unmapped.empty() ? unmapped.AddNull() : unmapped.AddBytes(source.unmapped);
  }
  for (const Identity& identity : identities_) {
    AppendIdentity(source, identity, batch.columns[column++]);
  }
  if (has_index_) batch.columns[column++].AddInt32(source.index);
  for (Field& field : fields_) AppendField(source, field, batch.columns[column++]);
  if (faults_.empty()) return std::nullopt;
  return Merged(faults_);
}

void RowBuilder::AppendSystem(const RowSource& source, ColumnBatch& batch, EventTimeSpan& span) {
  const format::WalRecord& record = source.record;
  const std::int64_t per_micro = kNanosPerMicro / nanos_per_unit_;
  batch.columns[0].AddInt64(record.position.value());
  batch.columns[1].AddInt32(source.index);
  batch.columns[2].AddInt64(record.ingest_time.value() * per_micro);
  AppendEventTime(source, batch.columns[3], span);
  batch.columns[4].AddBytes(record.source);
  batch.columns[5].AddBytes(record.topic);
}

void RowBuilder::AppendEventTime(const RowSource& source,
                                 ColumnBuffer& column,
                                 EventTimeSpan& span) {
  if (!event_time_) return column.AddNull();
  const Token& token = TokenAt(source, event_time_place_);
  if (token.IsAbsent()) return column.AddNull();
  if (const auto nanos = ReadPlainNanos(token, event_time_->format)) {
    const std::int64_t micros = FloorToMicros(*nanos);
    column.AddInt64(nanos_per_unit_ == kNanosPerMicro ? micros : *nanos);
    return span.Add(Micros(micros));
  }
  Instant instant;
  if (auto reject = ReadInstant(token, event_time_->format, scratch_.text, instant)) {
    reject->detail = "event_time: " + reject->detail;
    return Fault(*std::move(reject));
  }
  bool exact = true;
  const auto micros = InUnits(instant, kNanosPerMicro, exact);
  const auto units =
      nanos_per_unit_ == kNanosPerMicro ? micros : InUnits(instant, nanos_per_unit_, exact);
  if (!units || !micros) {
    return Fault({.reason = reason::kNarrowing,
                  .detail = fmt::format("event_time: {} is beyond a timestamp", Shown(token.raw))});
  }
  column.AddInt64(*units);
  span.Add(Micros(*micros));
}

void RowBuilder::AppendIdentity(const RowSource& source,
                                const Identity& identity,
                                ColumnBuffer& column) {
  if (identity.parts.size() == 1 && identity.slots.size() == 1) {
    const Token& token = source.document->slot(identity.slots.front());
    if (token.kind == TokenKind::kString && !token.escaped) return column.AddBytes(token.raw);
  }
  scratch_.text.clear();
  auto slot = identity.slots.begin();
  for (const TemplatePart& part : identity.parts) {
    const bool is_json = part.kind == TemplatePart::Kind::kJson;
    const std::size_t faults = faults_.size();
    if (AppendPart(source, part, is_json ? *slot++ : 0)) continue;
    if (faults_.size() > faults) {
      faults_.back().detail = fmt::format("{}: {}", identity.name, faults_.back().detail);
    } else {
      Fault({.reason = reason::kMissing,
             .detail = is_json ? fmt::format("{}: nothing at {}", identity.name, part.text)
                               : fmt::format("{}: topic \"{}\" has no level {}",
                                             identity.name,
                                             source.record.topic,
                                             part.level)});
    }
    return;
  }
  column.AddBytes(scratch_.text);
}

// False: there is nothing, or a fault says what is wrong with it.
bool RowBuilder::AppendPart(const RowSource& source, const TemplatePart& part, int slot) {
  std::string_view text;
  switch (part.kind) {
    case TemplatePart::Kind::kLiteral:
      scratch_.text += part.text;
      return true;
    case TemplatePart::Kind::kSource:
      scratch_.text += source.record.source;
      return true;
    case TemplatePart::Kind::kNodeId:
      scratch_.text += node_id_;
      return true;
    case TemplatePart::Kind::kTopicLevel:
      if (!TopicLevel(source.record.topic, part.level, text)) return false;
      scratch_.text += text;
      return true;
    case TemplatePart::Kind::kJson:
      break;
  }
  const Token& token = source.document->slot(slot);
  if (token.IsAbsent()) return false;
  if (token.kind == TokenKind::kObject || token.kind == TokenKind::kArray) {
    Fault({.reason = reason::kType, .detail = part.text + " is no text, number or boolean"});
    return false;
  }
  if (token.kind != TokenKind::kString || !token.escaped) {
    scratch_.text += token.raw;
  } else if (!AppendUnescaped(token.raw, scratch_.text)) {
    Fault({.reason = reason::kNarrowing, .detail = part.text + " holds half of a surrogate pair"});
    return false;
  }
  return true;
}

// Nothing that could hold a reject is made for a value that has none.
void RowBuilder::AppendField(const RowSource& source, Field& field, ColumnBuffer& column) {
  const bool plain = source.document != nullptr &&
                     field.converter.AppendPlain(TokenAt(source, field.place), column);
  if (!plain) AppendOther(source, field, column);
}

void RowBuilder::AppendOther(const RowSource& source, Field& field, ColumnBuffer& column) {
  std::optional<Reject> reject;
  if (source.document == nullptr) {
    reject = field.converter.AppendPayload(source.record.payload, column);
  } else if (const Token& token = TokenAt(source, field.place); !token.IsAbsent()) {
    reject = field.converter.Append(token, scratch_, column);
  } else if (!field.converter.spec().required) {
    return column.AddNull();
  } else {
    const FieldSpec& spec = field.converter.spec();
    reject = Reject{.reason = reason::kMissing,
                    .detail = fmt::format("{}: nothing at {}", spec.name, spec.from.pointer)};
  }
  if (reject) Fault(*std::move(reject));
}

}  // namespace tidemark::edge

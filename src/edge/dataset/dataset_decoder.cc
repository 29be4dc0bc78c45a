#include "edge/dataset/dataset_decoder.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <utility>

#include "edge/dataset/dataset_schema.h"
#include "edge/dataset/json_scanner.h"
#include "edge/dataset/kept_text.h"
#include "edge/dataset/row_builder.h"
#include "edge/dataset/topic_filter.h"
#include "format/json_text.h"

namespace tidemark::edge {

namespace {

using datafile::ColumnBatch;

// The text of _unmapped: what each object on the spine has left, the innermost with the exploded
// array that holds what its element has left. Empty when nothing is left anywhere. The place of the
// array itself, behind the last key, holds no members.
void JoinCaptured(const std::vector<std::string>& levels,
                  const std::vector<std::string>& keys,
                  const std::string* element,
                  std::string& out) {
  out.clear();
  const bool has_element = element != nullptr && !element->empty();
  std::size_t depth = has_element ? keys.size() : std::max<std::size_t>(keys.size(), 1);
  while (!has_element && depth > 0 && levels[depth - 1].empty()) --depth;
  for (std::size_t level = 0; level < depth; ++level) {
    out += '{';
    out += levels[level];
    if (level + 1 == depth && !has_element) break;
    if (!levels[level].empty()) out += ',';
    format::AppendJsonString(keys[level], out);
    out += ':';
  }
  if (has_element) out.append("[{").append(*element).append("}]");
  out.append(depth, '}');
}

// Weighs the rows of a record while it explodes, every few rows: each may repeat the rest of the
// document in every column. What it says depends on the record alone.
class RowScale {
 public:
  RowScale() = default;

  RowScale(const format::WalRecord& record, const ColumnBatch& batch)
      : bytes_before_(batch.value_bytes()) {
    constexpr std::size_t kRowsMax = 256;
    constexpr std::size_t kBytesMax = 1 << 20;
    const std::size_t bytes = record.payload.size() + record.topic.size();
    rows_between_looks_ =
        std::clamp<std::size_t>(kBytesMax / (bytes * batch.columns.size()), 1, kRowsMax);
    for (const auto& column : batch.columns) {
      const bool is_text = column.storage() == datafile::ColumnStorage::kText;
      place_bytes_ += sizeof(std::int16_t) + (is_text ? sizeof(std::size_t) : 0);
    }
  }

  // After so many rows of the record.
  bool IsTooMuch(const ColumnBatch& batch, std::size_t rows) const {
    if (rows % rows_between_looks_ != 0) return false;
    return batch.value_bytes() - bytes_before_ + rows * place_bytes_ > kRecordRowBytesMax;
  }

 private:
  std::size_t bytes_before_ = 0;
  std::size_t rows_between_looks_ = 1;
  std::size_t place_bytes_ = 0;  // of a row, beside its values: whether there is one, where it ends
};

}  // namespace

void EventTimeSpan::Add(Micros time) {
  min = min ? std::min(*min, time) : time;
  max = max ? std::max(*max, time) : time;
}

void EventTimeSpan::Add(const EventTimeSpan& other) {
  if (other.min) Add(*other.min);
  if (other.max) Add(*other.max);
}

class DatasetDecoder::Impl {
 public:
  Impl(const DatasetSpec& spec, const datafile::SegmentForm& form)
      : spec_(spec), schema_(SchemaOf(spec, form)) {}

  Status Build(const std::string& node_id, const datafile::SegmentForm& form) {
    if (spec_.explode) {
      TIDEMARK_TRY(array_slot_, document_shape_.AddSpine(spec_.explode->pointer));
    }
    JsonShape& elements = spec_.explode ? element_shape_ : document_shape_;
    TIDEMARK_TRY(auto builder, RowBuilder::Create(spec_, node_id, form, document_shape_, elements));
    builder_ = std::move(builder);
    document_.emplace(document_shape_, spec_.unknown);
    if (spec_.explode) element_.emplace(element_shape_, spec_.unknown);
    return {};
  }

  bool Takes(const format::WalRecord& record) const {
    const bool source_fits = spec_.sources.empty() ||
                             std::ranges::find(spec_.sources, record.source) != spec_.sources.end();
    return source_fits &&
           (spec_.topic_filter.empty() || TopicMatches(spec_.topic_filter, record.topic));
  }

  DecodeOutcome Decode(const format::WalRecord& record, ColumnBatch& batch, EventTimeSpan& span) {
    outcome_ = {};
    const std::size_t before = batch.rows();
    const EventTimeSpan span_before = span;
    outcome_.reject = spec_.payload == PayloadKind::kJson ? DecodeJson(record, batch, span)
                                                          : DecodePayload(record, batch, span);
    if (outcome_.reject) {
      batch.Truncate(before);
      span = span_before;
      outcome_.unknown_dropped = 0;
    }
    ForgetLongTexts();
    return std::move(outcome_);
  }

  const DatasetSpec& spec() const { return spec_; }

  const format::SegmentSchema& schema() const { return schema_; }

 private:
  std::optional<Reject> DecodePayload(const format::WalRecord& record,
                                      ColumnBatch& batch,
                                      EventTimeSpan& span) {
    if (spec_.payload == PayloadKind::kText &&
        !simdjson::validate_utf8(record.payload.data(), record.payload.size())) {
      return Reject{.reason = reason::kUtf8, .detail = "the payload is not UTF-8"};
    }
    return builder_->Append({.record = record}, batch, span);
  }

  std::optional<Reject> DecodeJson(const format::WalRecord& record,
                                   ColumnBatch& batch,
                                   EventTimeSpan& span) {
    if (auto reject = document_->Scan(record.payload)) return reject;
    if (auto reject = TakeUnknown(*document_)) return reject;
    if (spec_.explode) return Explode(record, batch, span);
    Capture(nullptr);
    return builder_->Append({.record = record,
                             .document = &*document_,
                             .element = &*document_,
                             .index = 0,
                             .unmapped = unmapped_},
                            batch,
                            span);
  }

  std::optional<Reject> TakeUnknown(const JsonScanner& scanner) {
    if (scanner.unknown_leaves() == 0) return std::nullopt;
    if (spec_.unknown == UnknownFields::kStrict) {
      return Reject{.reason = reason::kUnknown,
                    .detail = fmt::format(
                        "{} is not declared{}",
                        scanner.first_unknown(),
                        scanner.unknown_leaves() == 1
                            ? ""
                            : fmt::format(", nor are {} more", scanner.unknown_leaves() - 1))};
    }
    if (spec_.unknown == UnknownFields::kLenient) {
      outcome_.unknown_dropped += scanner.unknown_leaves();
    }
    return std::nullopt;
  }

  void ForgetLongTexts() {
    builder_->ForgetLongTexts();
    document_->ForgetLongTexts();
    if (element_) element_->ForgetLongTexts();
    ForgetIfLong(unmapped_);
  }

  void Capture(const std::string* element) {
    if (spec_.unknown != UnknownFields::kCapture) return;
    JoinCaptured(document_->captured(), document_shape_.spine_keys(), element, unmapped_);
  }

  std::optional<Reject> Explode(const format::WalRecord& record,
                                ColumnBatch& batch,
                                EventTimeSpan& span) {
    const Token& array = document_->slot(array_slot_);
    if (array.IsAbsent()) {
      if (!spec_.explode->required) return std::nullopt;
      return Reject{.reason = reason::kMissing,
                    .detail = fmt::format("nothing to explode at {}", spec_.explode->pointer)};
    }
    if (array.kind != TokenKind::kArray) {
      return Reject{.reason = reason::kType,
                    .detail = fmt::format("{} is no array", spec_.explode->pointer)};
    }
    std::size_t index = 0;
    scale_ = RowScale(record, batch);
    auto reject = element_->ScanElements(
        array.raw, [&](std::size_t) { return AppendElement(record, index++, batch, span); });
    // A scan that failed did not get as far as counting its element.
    if (reject && !element_named_) {
      reject->detail = fmt::format("element {}: {}", index, reject->detail);
    }
    element_named_ = false;
    return reject;
  }

  std::optional<Reject> AppendElement(const format::WalRecord& record,
                                      std::size_t index,
                                      ColumnBatch& batch,
                                      EventTimeSpan& span) {
    auto reject = TakeUnknown(*element_);
    if (!reject) {
      Capture(&element_->captured().front());
      reject = builder_->Append({.record = record,
                                 .document = &*document_,
                                 .element = &*element_,
                                 .index = static_cast<std::int32_t>(index),
                                 .unmapped = unmapped_},
                                batch,
                                span);
    }
    if (!reject && scale_.IsTooMuch(batch, index + 1)) {
      reject =
          Reject{.reason = reason::kSize,
                 .detail = fmt::format("its rows take more than {} bytes", kRecordRowBytesMax)};
    }
    element_named_ = reject.has_value();
    if (reject) reject->detail = fmt::format("element {}: {}", index, reject->detail);
    return reject;
  }

  DatasetSpec spec_;
  format::SegmentSchema schema_;
  JsonShape document_shape_;
  JsonShape element_shape_;
  int array_slot_ = 0;
  std::optional<RowBuilder> builder_;
  std::optional<JsonScanner> document_;
  std::optional<JsonScanner> element_;
  std::string unmapped_;
  DecodeOutcome outcome_;
  RowScale scale_;  // of the record that explodes
  bool element_named_ = false;
};

DatasetDecoder::DatasetDecoder(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

DatasetDecoder::~DatasetDecoder() = default;

Result<std::unique_ptr<DatasetDecoder>> DatasetDecoder::Create(const DatasetSpec& spec,
                                                               const std::string& node_id,
                                                               const datafile::SegmentForm& form) {
  auto impl = std::make_unique<Impl>(spec, form);
  TIDEMARK_TRY_VOID(impl->Build(node_id, form));
  return std::unique_ptr<DatasetDecoder>(new DatasetDecoder(std::move(impl)));
}

const DatasetSpec& DatasetDecoder::spec() const { return impl_->spec(); }

const format::SegmentSchema& DatasetDecoder::schema() const { return impl_->schema(); }

bool DatasetDecoder::Takes(const format::WalRecord& record) const { return impl_->Takes(record); }

DecodeOutcome DatasetDecoder::Decode(const format::WalRecord& record,
                                     ColumnBatch& batch,
                                     EventTimeSpan& span) {
  return impl_->Decode(record, batch, span);
}

}  // namespace tidemark::edge

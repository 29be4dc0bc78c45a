#include "queen/fetch_decoder.h"

#include <fmt/format.h>

#include <cstring>
#include <limits>
#include <memory>
#include <utility>

#include "base/check.h"
#include "queen/answer_json.h"

namespace tidemark::queen {

namespace {

using answer_json::Key;
using answer_json::Reader;
using answer_json::Value;
using simdjson::ondemand::json_type;

static_assert(kAnswerPadding >= simdjson::SIMDJSON_PADDING);

class Decoder {
 public:
  Decoder(std::string body, const FetchRequest& request)
      : body_(std::move(body)), request_(request), reader_("fetch", body_) {}

  Result<FetchAnswer> Run() {
    entries_.reserve(request_.entries.size());
    TIDEMARK_TRY_VOID(reader_.ReadObject([this](const Key& key, Value value) -> Status {
      if (key != "entries") return {};
      return reader_.ForEachElement(value, [this](Value entry) { return ReadEntry(entry); });
    }));
    if (entries_.size() != request_.entries.size()) {
      return reader_.Fail(
          fmt::format("{} entries for {} asked", entries_.size(), request_.entries.size()));
    }
    return Answer();
  }

 private:
  // Text and index move in together; only then can entries point into it.
  FetchAnswer Answer() {
    records_.shrink_to_fit();
    auto body = std::make_shared<const AnswerBody>(std::move(body_), std::move(records_));
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      const std::size_t end = i + 1 < entries_.size() ? begins_[i + 1] : body->records().size();
      entries_[i].records = body->records().subspan(begins_[i], end - begins_[i]);
    }
    return FetchAnswer{.body = std::move(body), .entries = std::move(entries_)};
  }

  Status ReadEntry(Value value) {
    if (entries_.size() == request_.entries.size()) return reader_.Fail("more entries than asked");
    const std::string& asked = request_.entries[entries_.size()].partition;
    FetchEntryAnswer entry;
    std::string queue;
    std::string partition;
    const std::size_t begin = records_.size();
    bool has_records = false;
    TIDEMARK_TRY_VOID(reader_.ForEachField(value, [&](const Key& key, Value field) -> Status {
      if (key == "queue") return reader_.Read(field, queue);
      if (key == "partition") return reader_.Read(field, partition);
      if (key == "highWatermark") return reader_.Read(field, entry.high_watermark);
      if (key == "logStartOffset") return reader_.Read(field, entry.log_start);
      if (key == "error") return reader_.Read(field, entry.error);
      if (key != "records") return {};
      if (std::exchange(has_records, true)) return reader_.Fail("records are there twice");
      return ReadRecords(field);
    }));
    if (queue != request_.queue || partition != asked) {
      return reader_.Fail(fmt::format(
          "entry of {}/{} where {}/{} was asked", queue, partition, request_.queue, asked));
    }
    if (records_.size() > begin && records_.back().offset >= entry.high_watermark) {
      return reader_.Fail(fmt::format("{}: record {} at or above the high watermark {}",
                                      partition,
                                      records_.back().offset.value(),
                                      entry.high_watermark.value()));
    }
    begins_.push_back(begin);
    entries_.push_back(entry);
    return {};
  }

  Status ReadRecords(Value value) {
    const std::size_t begin = records_.size();
    return reader_.ForEachElement(value, [&](Value element) -> Status {
      RecordSlice record{.offset = Offset(-1), .ts = kMinusInfinity};
      TIDEMARK_TRY_VOID(ReadRecord(element, record));
      if (record.offset < Offset(0) || record.ts == kMinusInfinity) {
        return reader_.Fail("a record without offset or ts");
      }
      if (records_.size() > begin && record.offset <= records_.back().offset) {
        return reader_.Fail(fmt::format(
            "record {} follows record {}", record.offset.value(), records_.back().offset.value()));
      }
      records_.push_back(record);
      return {};
    });
  }

  Status ReadRecord(Value value, RecordSlice& record) {
    return reader_.ForEachField(value, [&](const Key& key, Value field) -> Status {
      if (key == "offset") return reader_.Read(field, record.offset);
      if (key == "transactionId") return ReadTransactionId(field, record);
      if (key == "payload") return ReadPayload(field, record);
      if (key == "ts") return ReadTs(field, record.ts);
      return {};
    });
  }

  Status ReadTransactionId(Value value, RecordSlice& record) {
    if (answer_json::Is(value, json_type::null)) return {};
    TIDEMARK_TRY(std::string_view text, Quoted(value));
    record.transaction_id_at = PositionOf(text);
    if (std::memchr(text.data(), '\\', text.size()) != nullptr) {
      std::string_view plain;
      if (const auto error = value.get_string().get(plain)) return reader_.Fail(error);
      std::memcpy(body_.data() + record.transaction_id_at, plain.data(), plain.size());
      text = plain;
    } else {
      TIDEMARK_TRY_VOID(GoPast(value));
    }
    record.transaction_id_size = static_cast<std::uint32_t>(text.size());
    return {};
  }

  Status ReadPayload(Value value, RecordSlice& record) {
    std::string_view text;
    TIDEMARK_TRY_VOID(reader_.ReadRaw(value, text));
    if (text == "null") return {};
    record.payload_at = PositionOf(text);
    record.payload_size = static_cast<std::uint32_t>(text.size());
    return {};
  }

  // All records of a segment carry one stamp, so the last text is remembered with its value.
  Status ReadTs(Value value, Micros& ts) {
    TIDEMARK_TRY(const std::string_view text, Quoted(value));
    if (text != last_ts_text_) {
      const auto parsed = ParseIso(text);
      if (!parsed) return reader_.Fail(parsed.error().message);
      last_ts_text_ = text;
      last_ts_ = *parsed;
    }
    ts = last_ts_;
    return GoPast(value);
  }

  // Left unread, a string with a colon behind it would be passed over as if it were a key.
  Status GoPast(Value& value) const {
    if (const auto error = value.get_raw_json_string().error()) return reader_.Fail(error);
    return {};
  }

  // The bytes between a string's quotes, escapes and all.
  Result<std::string_view> Quoted(Value& value) {
    const std::string_view token = simdjson::trim(value.raw_json_token());
    if (token.size() < 2 || token.front() != '"' || token.back() != '"') {
      return reader_.Fail("a transactionId or ts that is no string");
    }
    return token.substr(1, token.size() - 2);
  }

  std::uint32_t PositionOf(std::string_view text) const {
    return static_cast<std::uint32_t>(text.data() - body_.data());
  }

  std::string body_;
  const FetchRequest& request_;
  Reader reader_;
  std::vector<FetchEntryAnswer> entries_;
  std::vector<RecordSlice> records_;  // of all entries
  std::vector<std::size_t> begins_;   // of each entry in records_
  std::string_view last_ts_text_;
  Micros last_ts_;
};

}  // namespace

Result<FetchAnswer> DecodeFetch(std::string body, const FetchRequest& request) {
  TIDEMARK_CHECK(body.size() < std::numeric_limits<std::uint32_t>::max(), "{}", body.size());
  return Decoder(std::move(body), request).Run();
}

}  // namespace tidemark::queen

#include "datafile/jsonl_reader.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <array>
#include <utility>

namespace tidemark::datafile {

namespace {

namespace ondemand = simdjson::ondemand;

enum Field : std::size_t { kPartition, kOffset, kTransactionId, kTs, kPayload, kFields };

constexpr std::array<std::string_view, kFields> kNames = {
    "partition", "offset", "transactionId", "ts", "payload"};

std::unexpected<Error> Damaged(std::string_view what) {
  return Fail(ErrorCode::kCorruption, std::string(what));
}

template <typename T>
Status Get(ondemand::value& value, T& out) {
  if (const auto error = value.get(out); error != simdjson::SUCCESS) {
    return Damaged(simdjson::error_message(error));
  }
  return {};
}

Status ReadField(Field field, ondemand::value value, format::RecordView& record) {
  switch (field) {
    case kPartition:
      return Get(value, record.partition);
    case kTransactionId:
      return Get(value, record.transaction_id);
    case kOffset: {
      std::int64_t offset = 0;
      TIDEMARK_TRY_VOID(Get(value, offset));
      record.offset = Offset(offset);
      return {};
    }
    case kTs: {
      std::string_view text;
      TIDEMARK_TRY_VOID(Get(value, text));
      TIDEMARK_TRY(record.ts, ParseIso(text));
      return {};
    }
    case kPayload: {
      std::string_view text;
      if (const auto error = simdjson::to_json_string(value).get(text);
          error != simdjson::SUCCESS) {
        return Damaged(simdjson::error_message(error));
      }
      record.payload = text == "null" ? std::string_view() : text;
      return {};
    }
    case kFields:
      break;
  }
  return Damaged("more fields than the envelope has");
}

Status ReadFields(ondemand::object& object, format::RecordView& record) {
  std::size_t next = 0;
  for (auto result : object) {
    ondemand::field field;
    if (const auto error = std::move(result).get(field); error != simdjson::SUCCESS) {
      return Damaged(simdjson::error_message(error));
    }
    if (next == kFields || field.key() != kNames[next]) {
      const auto name = field.unescaped_key();
      return Damaged(fmt::format("field {} is not the envelope's", name.value_unsafe()));
    }
    TIDEMARK_TRY_VOID(ReadField(static_cast<Field>(next), field.value(), record));
    ++next;
  }
  return next == kFields ? Status() : Damaged("fields of the envelope are missing");
}

Result<format::RecordView> ReadLine(ondemand::parser& parser, simdjson::padded_string_view line) {
  ondemand::document document;
  ondemand::object object;
  auto error = parser.iterate(line).get(document);
  if (error == simdjson::SUCCESS) error = document.get(object);
  if (error != simdjson::SUCCESS) return Damaged(simdjson::error_message(error));
  format::RecordView record;
  TIDEMARK_TRY_VOID(ReadFields(object, record));
  if (document.current_location().error() != simdjson::OUT_OF_BOUNDS)
    return Damaged("text follows the object");
  return record;
}

}  // namespace

Result<ReadSummary> ReadJsonl(std::string text, const RecordVisitor& visit) {
  // The parser may look this far beyond a line.
  text.reserve(text.size() + simdjson::SIMDJSON_PADDING);
  ondemand::parser parser;
  ReadSummary summary;
  for (std::size_t at = 0; at < text.size(); ++summary.records) {
    const std::size_t end = text.find('\n', at);
    const auto fail = [&](const Error& error) {
      return Damaged(fmt::format("line {}: {}", summary.records + 1, error.message));
    };
    if (end == std::string::npos) return fail({.message = "no line feed at its end"});
    const auto record = ReadLine(
        parser, simdjson::padded_string_view(text.data() + at, end - at, text.capacity() - at));
    if (!record.has_value()) return fail(record.error());
    at = end + 1;
    if (!visit(*record)) {
      ++summary.records;
      break;
    }
  }
  return summary;
}

}  // namespace tidemark::datafile

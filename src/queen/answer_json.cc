#include "queen/answer_json.h"

#include <fmt/format.h>

namespace tidemark::queen::answer_json {

namespace {

using simdjson::ondemand::json_type;

EntryError ToEntryError(std::string_view text) {
  if (text == "OFFSET_OUT_OF_RANGE") return EntryError::kOffsetOutOfRange;
  if (text == "UNKNOWN_TOPIC_OR_PARTITION") return EntryError::kUnknownPartition;
  if (text == "BAD_CURSOR") return EntryError::kBadCursor;
  return text.empty() ? EntryError::kNone : EntryError::kOther;
}

}  // namespace

std::unexpected<Error> Unreadable(std::string_view call, std::string_view what) {
  return tidemark::Fail(ErrorCode::kInternal,
                        fmt::format("the broker's {} answer cannot be read: {}", call, what));
}

Result<simdjson::ondemand::document> Reader::Start() {
  text_.reserve(text_.size() + simdjson::SIMDJSON_PADDING);
  simdjson::ondemand::document document;
  const auto error = parser_.iterate(text_.data(), text_.size(), text_.capacity()).get(document);
  if (error) return Fail(error);
  return document;
}

Status Reader::Read(Value value, std::int64_t& out) {
  if (const auto error = value.get_int64().get(out)) return Fail(error);
  return {};
}

Status Reader::Read(Value value, bool& out) {
  if (const auto error = value.get_bool().get(out)) return Fail(error);
  return {};
}

Status Reader::Read(Value value, std::string& out) {
  out.clear();
  if (Is(value, json_type::null)) return {};
  std::string_view text;
  if (const auto error = value.get_string().get(text)) return Fail(error);
  out = text;
  return {};
}

Status Reader::Read(Value value, Offset& out) {
  std::int64_t number = 0;
  TIDEMARK_TRY_VOID(Read(value, number));
  if (number < 0) return Fail(fmt::format("offset {}", number));
  out = Offset(number);
  return {};
}

Status Reader::Read(Value value, Micros& out) {
  std::string text;
  TIDEMARK_TRY_VOID(Read(value, text));
  const auto parsed = ParseIso(text);
  if (!parsed) return Fail(parsed.error().message);
  out = *parsed;
  return {};
}

Status Reader::Read(Value value, EntryError& out) {
  std::string text;
  TIDEMARK_TRY_VOID(Read(value, text));
  out = ToEntryError(text);
  return {};
}

Status Reader::ReadRaw(Value value, std::string_view& out) {
  if (const auto error = simdjson::to_json_string(value).get(out)) return Fail(error);
  // On-Demand looks at a scalar's first byte only.
  const bool word = out.starts_with('n') || out.starts_with('t') || out.starts_with('f');
  if (word && out != "null" && out != "true" && out != "false") return Fail(out);
  return {};
}

}  // namespace tidemark::queen::answer_json

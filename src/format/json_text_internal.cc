#include "format/json_text_internal.h"

#include <fmt/format.h>

#include "format/json_text.h"

namespace tidemark::format::internal {

namespace {

std::unexpected<Error> BadField(const char* name, std::string_view expected) {
  return Fail(ErrorCode::kCorruption, fmt::format("field \"{}\" is not {}", name, expected));
}

const nlohmann::json* Find(const nlohmann::json& object, const char* name) {
  if (!object.is_object()) return nullptr;
  const auto it = object.find(name);
  return it == object.end() ? nullptr : &*it;
}

}  // namespace

void ObjectText::Name(std::string_view name) {
  if (text_.size() > 1) text_ += ',';
  AppendJsonString(name, text_);
  text_ += ':';
}

ObjectText& ObjectText::Text(std::string_view name, std::string_view value) {
  Name(name);
  AppendJsonString(value, text_);
  return *this;
}

ObjectText& ObjectText::Int(std::string_view name, std::int64_t value) {
  Name(name);
  fmt::format_to(std::back_inserter(text_), "{}", value);
  return *this;
}

ObjectText& ObjectText::Json(std::string_view name, std::string_view json) {
  Name(name);
  text_ += json;
  return *this;
}

std::string ObjectText::Finish() {
  text_ += '}';
  return std::move(text_);
}

Result<nlohmann::json> ParseObject(std::string_view text, std::string_view what) {
  auto parsed = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (parsed.is_object()) return parsed;
  return Fail(ErrorCode::kCorruption, fmt::format("{} is not a JSON object", what));
}

Result<std::int64_t> IntField(const nlohmann::json& object, const char* name) {
  const auto* field = Find(object, name);
  if (field == nullptr || !field->is_number_integer()) return BadField(name, "an integer");
  if (field->is_number_unsigned() && field->get<std::uint64_t>() > INT64_MAX) {
    return BadField(name, "an integer of 64 bits with a sign");
  }
  return field->get<std::int64_t>();
}

Result<std::string> TextField(const nlohmann::json& object, const char* name) {
  const auto* field = Find(object, name);
  if (field == nullptr || !field->is_string()) return BadField(name, "a string");
  return field->get<std::string>();
}

Result<const nlohmann::json*> ArrayField(const nlohmann::json& object, const char* name) {
  const auto* field = Find(object, name);
  if (field == nullptr || !field->is_array()) return BadField(name, "an array");
  return field;
}

Result<Micros> IsoField(const nlohmann::json& object, const char* name) {
  TIDEMARK_TRY(auto text, TextField(object, name));
  const auto time = ParseIso(text);
  if (!time) return BadField(name, "a UTC time in ISO-8601 with Z");
  return *time;
}

std::string LostRangesText(const std::vector<LostRange>& lost) {
  std::string text = "[";
  for (const auto& range : lost) {
    if (text.size() > 1) text += ',';
    text += ObjectText()
                .Text("partition", range.partition)
                .Int("from", range.from.value())
                .Int("to", range.to.value())
                .Finish();
  }
  return text + "]";
}

Result<std::vector<LostRange>> LostRangesFrom(const nlohmann::json& array) {
  if (!array.is_array()) return Fail(ErrorCode::kCorruption, "lost ranges are not an array");
  std::vector<LostRange> lost;
  lost.reserve(array.size());
  for (const auto& item : array) {
    LostRange range;
    TIDEMARK_TRY(range.partition, TextField(item, "partition"));
    TIDEMARK_TRY(const std::int64_t from, IntField(item, "from"));
    TIDEMARK_TRY(const std::int64_t to, IntField(item, "to"));
    range.from = Offset(from);
    range.to = Offset(to);
    lost.push_back(std::move(range));
  }
  return lost;
}

}  // namespace tidemark::format::internal

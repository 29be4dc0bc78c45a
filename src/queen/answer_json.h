#pragma once
// Reading a broker's answer with simdjson On-Demand: one pass, fields in any order, unknown ones
// skipped. Only for the decoders of this folder.

#include <simdjson.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/result.h"
#include "base/time.h"
#include "queen/types.h"

namespace tidemark::queen::answer_json {

using Key = simdjson::ondemand::raw_json_string;
using Value = simdjson::ondemand::value;

// kInternal: "the broker's <call> answer cannot be read: <what>".
std::unexpected<Error> Unreadable(std::string_view call, std::string_view what);

// One answer being read. The text lives as long as the reader and has simdjson's padding behind it.
class Reader {
 public:
  // `text` gets the capacity it needs. Readable when Start() is.
  Reader(std::string_view call, std::string& text) : call_(call), text_(text) {}

  // The document is one object; `on_field(Key, Value)` returns a Status.
  template <typename F>
  Status ReadObject(F on_field);

  template <typename F>
  Status ForEachField(Value value, F on_field);
  template <typename F>
  Status ForEachElement(Value value, F on_element);

  Status Read(Value value, std::int64_t& out);
  Status Read(Value value, bool& out);
  Status Read(Value value, std::string& out);  // null reads as empty
  Status Read(Value value, Offset& out);       // refuses negative ones
  Status Read(Value value, Micros& out);
  Status Read(Value value, EntryError& out);
  // The value's own text, first to last byte; a view into `text`.
  Status ReadRaw(Value value, std::string_view& out);

  std::unexpected<Error> Fail(std::string_view what) const { return Unreadable(call_, what); }

  std::unexpected<Error> Fail(simdjson::error_code error) const {
    return Unreadable(call_, simdjson::error_message(error));
  }

 private:
  Result<simdjson::ondemand::document> Start();

  template <typename F>
  Status Fields(simdjson::ondemand::object object, F& on_field);

  std::string_view call_;
  std::string& text_;
  simdjson::ondemand::parser parser_;
};

// True when `value` has the JSON type `type`; false also for what is no JSON value.
inline bool Is(Value& value, simdjson::ondemand::json_type type) {
  simdjson::ondemand::json_type found{};
  return value.type().get(found) == simdjson::SUCCESS && found == type;
}

template <typename F>
Status Reader::ReadObject(F on_field) {
  TIDEMARK_TRY(simdjson::ondemand::document document, Start());
  simdjson::ondemand::object object;
  if (const auto error = document.get_object().get(object)) return Fail(error);
  TIDEMARK_TRY_VOID(Fields(object, on_field));
  const char* rest = nullptr;
  if (document.current_location().get(rest) != simdjson::OUT_OF_BOUNDS) {
    return Fail("something follows the document");
  }
  return {};
}

template <typename F>
Status Reader::Fields(simdjson::ondemand::object object, F& on_field) {
  for (auto next : object) {
    simdjson::ondemand::field field;
    if (const auto error = std::move(next).get(field)) return Fail(error);
    const Key key = field.key();
    TIDEMARK_TRY_VOID(on_field(key, field.value()));
  }
  return {};
}

template <typename F>
Status Reader::ForEachField(Value value, F on_field) {
  simdjson::ondemand::object object;
  if (const auto error = value.get_object().get(object)) return Fail(error);
  return Fields(object, on_field);
}

template <typename F>
Status Reader::ForEachElement(Value value, F on_element) {
  simdjson::ondemand::array array;
  if (const auto error = value.get_array().get(array)) return Fail(error);
  for (auto next : array) {
    Value element;
    if (const auto error = std::move(next).get(element)) return Fail(error);
    TIDEMARK_TRY_VOID(on_element(element));
  }
  return {};
}

}  // namespace tidemark::queen::answer_json

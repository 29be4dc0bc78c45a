#pragma once
// Compact JSON objects with a fixed field order, and typed fields read back; for the documents of
// this folder only.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "format/window.h"

namespace tidemark::format::internal {

// Fields come out in the order they are put in, without white space. `{}` when none was.
class ObjectText {
 public:
  ObjectText& Text(std::string_view name, std::string_view value);
  ObjectText& Int(std::string_view name, std::int64_t value);
  // `json` is a JSON value's text already.
  ObjectText& Json(std::string_view name, std::string_view json);

  std::string Finish();

 private:
  void Name(std::string_view name);

  std::string text_ = "{";
};

// All of these fail with kCorruption and name the document or the field.
Result<nlohmann::json> ParseObject(std::string_view text, std::string_view what);
Result<std::int64_t> IntField(const nlohmann::json& object, const char* name);
Result<std::string> TextField(const nlohmann::json& object, const char* name);
Result<const nlohmann::json*> ArrayField(const nlohmann::json& object, const char* name);
// ISO-8601 with Z only.
Result<Micros> IsoField(const nlohmann::json& object, const char* name);

std::string LostRangesText(const std::vector<LostRange>& lost);
Result<std::vector<LostRange>> LostRangesFrom(const nlohmann::json& array);

}  // namespace tidemark::format::internal

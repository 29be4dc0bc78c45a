#include "edge/config/effective_text.h"

#include <fmt/format.h>

namespace tidemark::edge {

namespace {

using nlohmann::json;

bool IsScalar(const json& value) { return value.is_primitive() || value.empty(); }

void Append(const json& value, std::size_t indent, std::string& out) {
  const std::string margin(indent, ' ');
  if (value.is_object()) {
    for (const auto& [key, member] : value.items()) {
      out += fmt::format("{}{}:", margin, key);
      out += IsScalar(member) ? " " + member.dump() + "\n" : "\n";
      if (!IsScalar(member)) Append(member, indent + 2, out);
    }
    return;
  }
  for (const json& item : value) {
    if (IsScalar(item)) {
      out += fmt::format("{}- {}\n", margin, item.dump());
      continue;
    }
    const std::size_t begin = out.size();
    Append(item, indent + 2, out);
    out[begin + indent] = '-';
  }
}

json Picked(const json& object, std::initializer_list<const char*> keys) {
  json picked = json::object();
  for (const char* key : keys) {
    if (object.contains(key)) picked[key] = object[key];
  }
  return picked;
}

}  // namespace

std::string YamlText(const json& value) {
  std::string text;
  Append(value, 0, text);
  return text;
}

std::string HashedText(const json& effective) {
  json hashed = Picked(effective, {"node_id", "datasets", "unmatched"});
  hashed["sources"] = json::array();
  for (const json& source : effective["sources"]) {
    json entry = Picked(source, {"id", "kind"});
    entry["topics"] = Picked(source["config"], {"topic", "topics"});
    hashed["sources"].push_back(entry);
  }
  hashed["sinks"] = json::array();
  for (const json& sink : effective["sinks"]) {
    if (sink["kind"] != "parquet") continue;
    json entry = Picked(sink, {"id", "chain"});
    entry["config"] = Picked(sink["config"],
                             {"compression",
                              "datasets",
                              "max_open_files",
                              "node_id",
                              "rotation",
                              "row_group_bytes",
                              "timestamp_unit",
                              "unsigned"});
    hashed["sinks"].push_back(entry);
  }
  return hashed.dump();
}

}  // namespace tidemark::edge

#pragma once
// The effective configuration as YAML, and the part of it that config_hash covers.

#include <nlohmann/json.hpp>
#include <string>

namespace tidemark::edge {

// Block style, keys sorted; texts that are no plain words are quoted as in JSON.
std::string YamlText(const nlohmann::json& value);

// What can change rows or files (docs/pipeline.md, "config_hash"): compact JSON with sorted keys.
std::string HashedText(const nlohmann::json& effective);

}  // namespace tidemark::edge

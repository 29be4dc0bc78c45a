#include "edge/config/yaml_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>

namespace tidemark::edge {

namespace {

int LineOf(const YAML::Node& node) { return node.Mark().line + 1; }

// How many letters must be put in, taken out or changed.
std::size_t Distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t change = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, change});
    }
  }
  return row.back();
}

// As an editor sees them: YAML reads `true` as no text.
nlohmann::json WordsOf(const std::vector<std::string>& words) {
  nlohmann::json list = nlohmann::json::array();
  for (const std::string& word : words) {
    list.push_back(word == "true" || word == "false" ? nlohmann::json(word == "true")
                                                     : nlohmann::json(word));
  }
  return list;
}

bool ReadInt(std::string_view text, std::int64_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

std::string Nearest(const std::string& word, const std::vector<std::string>& known) {
  std::string nearest;
  std::size_t least = std::max<std::size_t>(word.size() / 2, 2) + 1;
  for (const std::string& candidate : known) {
    const std::size_t distance = Distance(word, candidate);
    if (distance < least) {
      least = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

void Faults::Add(int line, const std::string& what) {
  lines_.push_back(line == 0 ? fmt::format("{}: {}", file_, what)
                             : fmt::format("{}:{}: {}", file_, line, what));
}

std::string Faults::Text() const {
  std::string text;
  for (const std::string& line : lines_) {
    if (!text.empty()) text += '\n';
    text += line;
  }
  return text;
}

YamlMap::YamlMap(const YAML::Node& node,
                 std::string path,
                 nlohmann::json& effective,
                 Faults& faults)
    : path_(std::move(path)), effective_(&effective), faults_(&faults) {
  if (!effective.is_object()) effective = nlohmann::json::object();
  if (!node.IsDefined() || node.IsNull()) return;
  line_ = LineOf(node);
  if (!node.IsMap()) {
    faults.Add(line_,
               fmt::format("{} is not a mapping of keys", path_.empty() ? "the file" : path_));
    return;
  }
  for (const auto& member : node) {
    const std::string key = member.first.IsScalar() ? member.first.Scalar() : "";
    const int line = LineOf(member.first);
    if (std::ranges::any_of(members_, [&](const Member& other) { return other.key == key; })) {
      faults.Add(line, fmt::format("{} stands there twice", PathOf(key)));
      continue;
    }
    members_.push_back({key, member.second, line, false});
  }
}

void YamlMap::DescribeIn(nlohmann::json& schema) {
  schema_ = &schema;
  schema["type"] = "object";
  schema["properties"] = nlohmann::json::object();
}

void YamlMap::Describe(const std::string& key, nlohmann::json rule) {
  if (schema_ != nullptr) (*schema_)["properties"][key] = std::move(rule);
}

std::string YamlMap::PathOf(const std::string& key) const {
  return path_.empty() ? key : path_ + "." + key;
}

const YAML::Node* YamlMap::Find(const std::string& key) {
  known_.push_back(key);
  for (Member& member : members_) {
    if (member.key != key) continue;
    member.asked = true;
    return member.value.IsNull() ? nullptr : &member.value;
  }
  return nullptr;
}

bool YamlMap::Has(const std::string& key) { return Find(key) != nullptr; }

void YamlMap::Fault(const std::string& key, const std::string& what) {
  int line = line_;
  for (const Member& member : members_) {
    if (member.key == key) line = member.line;
  }
  faults_->Add(
      line,
      key.empty() ? fmt::format("{}: {}", path_, what) : fmt::format("{}: {}", PathOf(key), what));
}

const std::string* YamlMap::Scalar(const std::string& key, std::string_view wanted) {
  const YAML::Node* node = Find(key);
  if (node == nullptr) return nullptr;
  if (node->IsScalar()) return &node->Scalar();
  Fault(key, fmt::format("a {} where {} is wanted", node->IsMap() ? "mapping" : "list", wanted));
  return nullptr;
}

std::string YamlMap::Text(const std::string& key, const std::string& otherwise) {
  Describe(key, {{"type", "string"}, {"default", otherwise}});
  const std::string* text = Scalar(key, "a text");
  const std::string value = text == nullptr ? otherwise : *text;
  effective()[key] = value;
  return value;
}

std::string YamlMap::RequiredText(const std::string& key) {
  if (const YAML::Node* node = Find(key); node == nullptr) {
    Fault("", fmt::format("`{}` is missing", key));
  } else if (node->IsScalar() && node->Scalar().empty()) {
    Fault(key, "\"\" where a text is wanted");
  }
  std::string value = Text(key, "");
  if (schema_ != nullptr) {
    (*schema_)["properties"][key].erase("default");
    (*schema_)["properties"][key]["minLength"] = 1;
    (*schema_)["required"].push_back(key);
  }
  return value;
}

std::int64_t YamlMap::Int(const std::string& key,
                          std::int64_t otherwise,
                          std::int64_t min,
                          std::int64_t max) {
  Describe(key, {{"type", "integer"}, {"minimum", min}, {"maximum", max}, {"default", otherwise}});
  std::int64_t value = otherwise;
  if (const std::string* text = Scalar(key, "a whole number")) {
    if (!ReadInt(*text, value) || value < min || value > max) {
      Fault(key, fmt::format("\"{}\" is not a whole number from {} to {}", *text, min, max));
      value = otherwise;
    }
  }
  effective()[key] = value;
  return value;
}

std::int64_t YamlMap::Bytes(const std::string& key, std::int64_t otherwise) {
  Describe(key,
           {{"type", {"integer", "string"}},
            {"pattern", "^[0-9]+(KiB|MiB|GiB)?$"},
            {"default", otherwise}});
  constexpr std::pair<std::string_view, int> kUnits[] = {{"KiB", 10}, {"MiB", 20}, {"GiB", 30}};
  std::int64_t value = otherwise;
  if (const std::string* text = Scalar(key, "a size")) {
    std::string_view number = *text;
    int shift = 0;
    for (const auto& [unit, bits] : kUnits) {
      if (!number.ends_with(unit)) continue;
      number.remove_suffix(unit.size());
      shift = bits;
    }
    constexpr int kSizeBits = 50;
    if (!ReadInt(number, value) || value < 1 || value > std::int64_t{1} << (kSizeBits - shift)) {
      Fault(key, fmt::format("\"{}\" is not a size: bytes, or a number with KiB, MiB, GiB", *text));
      value = otherwise;
    } else {
      value <<= shift;
    }
  }
  effective()[key] = value;
  return value;
}

bool YamlMap::Bool(const std::string& key, bool otherwise) {
  Describe(key, {{"type", "boolean"}, {"default", otherwise}});
  bool value = otherwise;
  if (const std::string* text = Scalar(key, "true or false")) {
    value = *text == "true";
    if (!value && *text != "false")
      Fault(key, fmt::format("\"{}\" is neither true nor false", *text));
  }
  effective()[key] = value;
  return value;
}

std::string YamlMap::Choice(const std::string& key,
                            const std::string& otherwise,
                            const std::vector<std::string>& words) {
  std::string value = Text(key, otherwise);
  Describe(key, {{"enum", WordsOf(words)}, {"default", otherwise}});
  if (std::ranges::find(words, value) != words.end()) return value;
  std::string list;
  for (const std::string& word : words) list += (list.empty() ? "" : ", ") + word;
  Fault(key, fmt::format("\"{}\" is none of {}", value, list));
  return otherwise;
}

std::vector<std::string> YamlMap::Texts(const std::string& key) {
  Describe(key, {{"type", {"string", "array"}}, {"items", {{"type", "string"}, {"minLength", 1}}}});
  std::vector<std::string> texts;
  const auto take = [&](const YAML::Node& item) {
    if (!item.IsScalar() || item.Scalar().empty()) return Fault(key, "its items are texts");
    texts.push_back(item.Scalar());
  };
  if (const YAML::Node* node = Find(key)) {
    if (node->IsScalar()) take(*node);
    if (node->IsMap()) Fault(key, "a mapping where a list of texts is wanted");
    if (node->IsSequence()) {
      for (const auto& item : *node) take(item);
    }
  }
  effective()[key] = texts;
  return texts;
}

YamlMap YamlMap::Map(const std::string& key) {
  const YAML::Node* node = Find(key);
  YamlMap map(node == nullptr ? YAML::Node() : *node, PathOf(key), effective()[key], *faults_);
  if (node == nullptr) map.line_ = line_;
  if (schema_ != nullptr) map.DescribeIn((*schema_)["properties"][key]);
  return map;
}

std::vector<YamlMap> YamlMap::List(const std::string& key) {
  const YAML::Node* node = Find(key);
  nlohmann::json& list = effective()[key] = nlohmann::json::array();
  std::vector<YamlMap> maps;
  if (node == nullptr) return maps;
  if (!node->IsSequence()) {
    Fault(key, "it is not a list");
    return maps;
  }
  for (std::size_t i = 0; i < node->size(); ++i) list.push_back(nlohmann::json::object());
  for (std::size_t i = 0; i < node->size(); ++i) {
    maps.emplace_back((*node)[i], fmt::format("{}[{}]", PathOf(key), i), list[i], *faults_);
  }
  if (schema_ == nullptr) return maps;
  // Items of several forms: one of them each.
  Describe(key, {{"type", "array"}});
  nlohmann::json& forms = (*schema_)["properties"][key]["items"]["anyOf"];
  forms = nlohmann::json::array();
  for (std::size_t i = 0; i < maps.size(); ++i) forms.push_back(nlohmann::json::object());
  for (std::size_t i = 0; i < maps.size(); ++i) maps[i].DescribeIn(forms[i]);
  return maps;
}

std::vector<std::pair<std::string, YamlMap>> YamlMap::Entries(const std::string& key) {
  YamlMap outer = Map(key);
  std::vector<std::pair<std::string, YamlMap>> entries;
  entries.reserve(outer.members_.size());
  for (const Member& member : outer.members_) {
    entries.emplace_back(member.key, outer.Map(member.key));
  }
  if (schema_ == nullptr) return entries;
  nlohmann::json& rule = (*schema_)["properties"][key];
  rule = {{"type", "object"}, {"additionalProperties", nlohmann::json::object()}};
  for (auto& [name, map] : entries) map.DescribeIn(rule["additionalProperties"]);
  return entries;
}

void YamlMap::Done() {
  if (schema_ != nullptr) (*schema_)["additionalProperties"] = false;
  for (const Member& member : members_) {
    if (member.asked) continue;
    const std::string nearest = Nearest(member.key, known_);
    faults_->Add(member.line,
                 fmt::format("{} is not known here{}",
                             PathOf(member.key),
                             nearest.empty() ? "" : fmt::format("; did you mean `{}`?", nearest)));
  }
}

}  // namespace tidemark::edge

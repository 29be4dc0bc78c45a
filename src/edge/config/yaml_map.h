#pragma once
// Strict reading of a YAML mapping: a key that nobody asks for is a fault, with its line and the
// nearest key that is known. What is read, defaults included, is kept as the effective
// configuration; what is asked for can be written down as a JSON Schema. yaml-cpp throws; nothing
// of it leaves this folder.

#include <yaml-cpp/yaml.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::edge {

// Faults in the order in which they were found.
class Faults {
 public:
  explicit Faults(std::string file) : file_(std::move(file)) {}

  // `line` counts from 1; 0: of the whole file.
  void Add(int line, const std::string& what);

  bool empty() const { return lines_.empty(); }

  std::string Text() const;

 private:
  std::string file_;
  std::vector<std::string> lines_;
};

// One mapping. Ask for every key there may be, then call Done.
class YamlMap {
 public:
  // `path` is the mapping's place in the file, for messages; `effective` and `faults` outlive it.
  YamlMap(const YAML::Node& node, std::string path, nlohmann::json& effective, Faults& faults);

  // Writes what this mapping, and all below it, is asked for into `schema`, which outlives it.
  void DescribeIn(nlohmann::json& schema);

  bool Has(const std::string& key);

  std::string Text(const std::string& key, const std::string& otherwise);
  // Not empty.
  std::string RequiredText(const std::string& key);
  // A whole number in [min, max].
  std::int64_t Int(const std::string& key,
                   std::int64_t otherwise,
                   std::int64_t min,
                   std::int64_t max);
  // Bytes: a whole number, or one with KiB, MiB or GiB behind it.
  std::int64_t Bytes(const std::string& key, std::int64_t otherwise);
  bool Bool(const std::string& key, bool otherwise);
  // One of the words.
  std::string Choice(const std::string& key,
                     const std::string& otherwise,
                     const std::vector<std::string>& words);
  // A list of texts, or one text.
  std::vector<std::string> Texts(const std::string& key);

  // The mapping below the key; an empty one where there is none.
  YamlMap Map(const std::string& key);
  // The mappings of a list; none where there is no such key.
  std::vector<YamlMap> List(const std::string& key);
  // The mappings of a mapping, with their keys.
  std::vector<std::pair<std::string, YamlMap>> Entries(const std::string& key);

  // Complains of every key that was not asked for.
  void Done();

  // A fault at the key's line, or at the mapping's.
  void Fault(const std::string& key, const std::string& what);

  int line() const { return line_; }

  nlohmann::json& effective() { return *effective_; }

 private:
  const YAML::Node* Find(const std::string& key);
  // The scalar below the key; nullptr: there is none, or it is a fault.
  const std::string* Scalar(const std::string& key, std::string_view wanted);
  std::string PathOf(const std::string& key) const;
  void Describe(const std::string& key, nlohmann::json rule);

  struct Member {
    std::string key;
    YAML::Node value;
    int line;
    bool asked;
  };

  std::vector<Member> members_;
  std::vector<std::string> known_;
  std::string path_;
  int line_ = 0;
  nlohmann::json* effective_;
  Faults* faults_;
  nlohmann::json* schema_ = nullptr;
};

// The known word that `word` was most likely meant to be; empty when none is near.
std::string Nearest(const std::string& word, const std::vector<std::string>& known);

}  // namespace tidemark::edge

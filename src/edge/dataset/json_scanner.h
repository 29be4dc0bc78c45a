#pragma once
// One pass over a JSON document with simdjson: fills the slots of a JsonShape, validates
// everything, finds what nobody declared. A document that is laid out like one of the last ones is
// read without it (json_layout.h).

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "edge/dataset/dataset_spec.h"
#include "edge/dataset/json_layout.h"
#include "edge/dataset/json_shape.h"
#include "edge/dataset/json_token.h"
#include "edge/dataset/reject.h"

namespace tidemark::edge {

// Deeper nesting is refused.
inline constexpr int kJsonDepthMax = 1024;

// Not thread-safe. Reused; in a steady state a scan allocates nothing.
class JsonScanner {
 public:
  // `shape` outlives it.
  JsonScanner(const JsonShape& shape, UnknownFields unknown);

  // `text` has 64 readable bytes behind its end, and lives as long as the tokens are used. The
  // reject's detail names the place.
  std::optional<Reject> Scan(std::string_view text);

  // Scans the elements of an array, one after the other, and calls `visit(index)` after each; the
  // first reject of a scan or a visit ends it.
  template <typename Visit>
  std::optional<Reject> ScanElements(std::string_view array, Visit visit) {
    auto reject = ScanEach(array, visit);
    DropLargeBuffers();
    return reject;
  }

  // To be called when nothing of the last scan is used any more: what a long document needed goes.
  void ForgetLongTexts();

  const Token& slot(int number) const { return slots_[static_cast<std::size_t>(number)]; }

  // Of the last scan: leaves that are not declared, and the pointer to the first of them.
  std::int64_t unknown_leaves() const { return unknown_leaves_; }

  const std::string& first_unknown() const { return first_unknown_; }

  // Of the last scan, under capture: the members of the document that are not declared, as text
  // without braces; one entry for the document and each object on the spine.
  const std::vector<std::string>& captured() const { return captured_; }

 private:
  using Value = simdjson::ondemand::value;

  template <typename Visit>
  std::optional<Reject> ScanEach(std::string_view array, Visit& visit) {
    simdjson::ondemand::document document;
    simdjson::ondemand::array elements;
    Reset();
    if (!Iterate(array, document)) return std::move(fault_);
    auto error = document.get_array().get(elements);
    if (error == simdjson::SUCCESS) {
      std::size_t index = 0;
      for (auto result : elements) {
        Value element;
        error = std::move(result).get(element);
        if (error != simdjson::SUCCESS) break;
        Reset();
        if (!ScanElement(element)) return std::move(fault_);
        if (std::optional<Reject> reject = visit(index++)) return reject;
      }
    }
    if (error == simdjson::SUCCESS) return std::nullopt;
    FailWith(error);
    return std::move(fault_);
  }

  void Reset();
  void DropLargeBuffers();
  bool IsLaidOutAsBefore(std::string_view text);
  void LearnLayout(std::string_view text);
  bool Iterate(std::string_view text, simdjson::ondemand::document& document);
  bool ScanRoot(std::string_view text);
  bool ScanElement(Value value);
  // The walks return false after a fault, which is then in fault_. `node` is null for what is not
  // declared.
  bool WalkValue(Value value, const JsonShape::Node* node, int depth);
  bool WalkObject(Value value, const JsonShape::Node* node, int depth);
  bool WalkArray(Value value, const JsonShape::Node* node, int depth);
  bool WalkMember(std::string_view key, Value value, const JsonShape::Node* node, int depth);
  bool WalkDeclared(std::string_view key, Value value, int child, int spine, int depth);
  bool WalkUnknown(std::string_view key, Value value, int depth);
  void OpenMember(std::string_view key);
  bool CheckScalar(TokenKind kind, std::string_view token);
  bool TakeScalar(TokenKind kind, Value value, std::string_view token, int slot);
  int FindChild(const JsonShape::Node& node, std::string_view key);
  bool CheckKeys(std::size_t begin);
  void CountUnknown();
  std::string_view TextUntilHere(std::string_view token);
  bool Fail(std::string_view why, std::string detail);
  bool FailWith(simdjson::error_code error);
  std::string Path() const;
  void AppendPath(std::string& out) const;

  const JsonShape& shape_;
  UnknownFields unknown_;
  simdjson::ondemand::parser parser_;
  simdjson::ondemand::document* document_ = nullptr;  // of the scan under way
  const char* end_ = nullptr;                         // of its text
  std::vector<Token> slots_;
  std::vector<std::uint64_t> seen_;  // by node: the last scan that met it
  std::uint64_t scan_ = 0;
  std::vector<std::string_view> path_;  // keys above the value at hand, as the text has them
  std::vector<std::string_view> keys_;  // undeclared keys of the objects under way
  std::string unescaped_key_;
  std::int64_t unknown_leaves_ = 0;
  std::string first_unknown_;
  std::vector<std::string> captured_;
  std::string* capture_ = nullptr;        // where undeclared members go now
  int swallowing_ = 0;                    // slots around the value at hand
  std::vector<JsonLayout::Leaf> leaves_;  // scalars of the document
  JsonLayouts layouts_;
  Reject fault_;
};

}  // namespace tidemark::edge

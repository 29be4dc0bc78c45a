#include "edge/dataset/json_scanner.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "edge/dataset/json_number.h"
#include "edge/dataset/json_pointer.h"
#include "edge/dataset/json_string.h"
#include "edge/dataset/kept_text.h"

namespace tidemark::edge {

namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

// Of documents whose layout is worth keeping.
constexpr std::size_t kLayoutBytesMax = 4 << 10;
constexpr std::size_t kLayoutLeavesMax = 256;
// Of documents for which the parser keeps its memory, six times as much.
constexpr std::size_t kParserBytesKept = 16 << 10;
constexpr std::size_t kKeysKept = 1 << 10;

std::string_view Trimmed(std::string_view text) {
  const auto last = text.find_last_not_of(" \t\n\r");
  return text.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

TokenKind KindOf(std::string_view token) {
  if (token.empty()) return TokenKind::kMissing;
  switch (token.front()) {
    case '{':
      return TokenKind::kObject;
    case '[':
      return TokenKind::kArray;
    case '"':
      return TokenKind::kString;
    case 't':
    case 'f':
      return TokenKind::kBool;
    case 'n':
      return TokenKind::kNull;
    default:
      return TokenKind::kNumber;
  }
}

std::string_view WithoutQuotes(std::string_view token) { return token.substr(1, token.size() - 2); }

// The key's text up to its closing quote.
std::string_view KeyText(const char* raw) {
  const char* end = raw;
  while (*end != '"') end += *end == '\\' ? 2 : 1;
  return {raw, static_cast<std::size_t>(end - raw)};
}

}  // namespace

JsonScanner::JsonScanner(const JsonShape& shape, UnknownFields unknown)
    : shape_(shape),
      unknown_(unknown),
      slots_(shape.slots()),
      seen_(shape.nodes()),
      captured_(shape.spine_keys().size() + 1) {}

void JsonScanner::Reset() {
  ++scan_;
  std::ranges::fill(slots_, Token());
  path_.clear();
  keys_.clear();
  leaves_.clear();
  swallowing_ = 0;
  unknown_leaves_ = 0;
  first_unknown_.clear();
  for (std::string& members : captured_) members.clear();
  capture_ = &captured_.front();
}

std::string JsonScanner::Path() const {
  std::string pointer;
  AppendPath(pointer);
  return pointer;
}

void JsonScanner::AppendPath(std::string& out) const {
  for (const std::string_view key : path_) AppendPointerKey(key, out);
}

bool JsonScanner::Fail(std::string_view why, std::string detail) {
  fault_ = {.reason = why, .detail = std::move(detail)};
  return false;
}

bool JsonScanner::FailWith(simdjson::error_code error) {
  std::string detail = simdjson::error_message(error);
  if (!path_.empty()) detail += " (at " + Path() + ")";
  if (error == simdjson::UTF8_ERROR) return Fail(reason::kUtf8, std::move(detail));
  if (error == simdjson::DEPTH_ERROR) return Fail(reason::kDepth, std::move(detail));
  return Fail(reason::kJson, std::move(detail));
}

std::optional<Reject> JsonScanner::Scan(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  if (IsLaidOutAsBefore(text)) return std::nullopt;
  Reset();
  const bool scanned = ScanRoot(text);
  DropLargeBuffers();
  if (!scanned) return std::move(fault_);
  if (layouts_.WantsToLearn()) LearnLayout(text);
  return std::nullopt;
}

// One long document must not keep its memory for good.
void JsonScanner::DropLargeBuffers() {
  if (parser_.capacity() > kParserBytesKept) parser_ = simdjson::ondemand::parser();
  if (keys_.capacity() > kKeysKept) std::vector<std::string_view>().swap(keys_);
}

void JsonScanner::ForgetLongTexts() {
  for (std::string& members : captured_) ForgetIfLong(members);
  ForgetIfLong(first_unknown_);
  ForgetIfLong(unescaped_key_);
}

bool JsonScanner::IsLaidOutAsBefore(std::string_view text) {
  first_unknown_.clear();
  for (std::string& members : captured_) members.clear();
  if (!layouts_.Match(text, slots_, unknown_leaves_)) return false;
  return unknown_leaves_ == 0 || unknown_ == UnknownFields::kLenient;
}

void JsonScanner::LearnLayout(std::string_view text) {
  if (text.size() > kLayoutBytesMax || leaves_.size() > kLayoutLeavesMax) return;
  // The text of a container that a slot holds is more than its scalars.
  const auto is_container = [](const Token& token) {
    return token.kind == TokenKind::kObject || token.kind == TokenKind::kArray;
  };
  if (std::ranges::any_of(slots_, is_container)) return;
  // What is not declared and no scalar: an empty container.
  const auto counts = [](const JsonLayout::Leaf& leaf) {
    return leaf.slot == JsonShape::kNone && leaf.text != "null";
  };
  if (std::ranges::count_if(leaves_, counts) != unknown_leaves_) return;
  layouts_.Learn(text, leaves_, slots_.size());
}

bool JsonScanner::Iterate(std::string_view text, simdjson::ondemand::document& document) {
  document_ = &document;
  end_ = text.data() + text.size();
  const simdjson::padded_string_view padded(
      text.data(), text.size(), text.size() + simdjson::SIMDJSON_PADDING);
  const auto error = parser_.iterate(padded).get(document);
  return error == simdjson::SUCCESS || FailWith(error);
}

bool JsonScanner::ScanRoot(std::string_view text) {
  simdjson::ondemand::document document;
  if (!Iterate(text, document)) return false;
  const JsonShape::Node& root = shape_.node(0);
  const std::string_view token = Trimmed(text.substr(text.find_first_not_of(" \t\n\r")));
  const TokenKind kind = KindOf(token);
  if (kind != TokenKind::kObject && kind != TokenKind::kArray) {
    if (!CheckScalar(kind, token)) return false;
    if (root.slot == JsonShape::kNone) return Fail(reason::kType, "the document is no object");
    const std::string_view raw = kind == TokenKind::kString ? WithoutQuotes(token) : token;
    slots_[static_cast<std::size_t>(root.slot)] = {kind, raw.contains('\\'), raw};
    return true;
  }
  if (root.slot == JsonShape::kNone && kind != TokenKind::kObject) {
    return Fail(reason::kType, "the document is no object");
  }
  Value value;
  if (const auto error = document.get_value().get(value)) return FailWith(error);
  if (!WalkValue(value, &root, 1)) return false;
  const char* rest = nullptr;
  const bool at_end = document.current_location().get(rest) == simdjson::OUT_OF_BOUNDS;
  return at_end || Fail(reason::kJson, "there is text behind the document");
}

bool JsonScanner::ScanElement(Value value) {
  const JsonShape::Node& root = shape_.node(0);
  const TokenKind kind = KindOf(value.raw_json_token());
  if (root.slot == JsonShape::kNone && kind != TokenKind::kObject && kind != TokenKind::kNull) {
    return Fail(reason::kType, "it is no object");
  }
  return WalkValue(value, &root, 1);
}

std::string_view JsonScanner::TextUntilHere(std::string_view token) {
  const char* here = nullptr;
  if (document_->current_location().get(here) != simdjson::SUCCESS) here = end_;
  return Trimmed({token.begin(), here});
}

bool JsonScanner::CheckScalar(TokenKind kind, std::string_view token) {
  bool valid = false;
  switch (kind) {
    case TokenKind::kString:
      valid = token.size() >= 2 && token.ends_with('"') && HasValidEscapes(WithoutQuotes(token));
      break;
    case TokenKind::kBool:
      valid = token == "true" || token == "false";
      break;
    case TokenKind::kNull:
      valid = token == "null";
      break;
    default:
      valid = IsJsonNumber(token);
  }
  if (valid) return true;
  return Fail(reason::kJson,
              "\"" + std::string(Shown(token)) + "\" is no JSON value" +
                  (path_.empty() ? "" : " (at " + Path() + ")"));
}

bool JsonScanner::TakeScalar(TokenKind kind, Value value, std::string_view token, int slot) {
  if (!CheckScalar(kind, token)) return false;
  if (kind == TokenKind::kString) {
    // Left unread, a string with a colon behind it would be passed over as if it were a key.
    if (const auto error = value.get_raw_json_string().error()) return FailWith(error);
  }
  if (leaves_.size() <= kLayoutLeavesMax) leaves_.push_back({token, slot});
  // A scalar where declared places lie below is itself a leaf that nobody declared.
  if (kind != TokenKind::kNull) CountUnknown();
  return true;
}

bool JsonScanner::WalkValue(Value value, const JsonShape::Node* node, int depth) {
  if (depth > kJsonDepthMax) {
    return Fail(reason::kDepth, "nested deeper than " + std::to_string(kJsonDepthMax) + " levels");
  }
  const std::string_view token = Trimmed(value.raw_json_token());
  const TokenKind kind = KindOf(token);
  // What a slot holds is declared whole; deeper slots inside it are still to be filled.
  const bool has_slot = node != nullptr && node->slot != JsonShape::kNone;
  std::string_view raw = token;
  swallowing_ += has_slot ? 1 : 0;
  if (kind == TokenKind::kObject || kind == TokenKind::kArray) {
    const JsonShape::Node* below = has_slot && node->keys.empty() ? nullptr : node;
    const bool walked = kind == TokenKind::kObject ? WalkObject(value, below, depth)
                                                   : WalkArray(value, below, depth);
    if (!walked) return false;
    if (has_slot) raw = TextUntilHere(token);
  } else {
    if (!TakeScalar(kind, value, token, has_slot ? node->slot : JsonShape::kNone)) return false;
    if (kind == TokenKind::kString) raw = WithoutQuotes(token);
  }
  swallowing_ -= has_slot ? 1 : 0;
  if (has_slot) slots_[static_cast<std::size_t>(node->slot)] = {kind, raw.contains('\\'), raw};
  return true;
}

bool JsonScanner::WalkObject(Value value, const JsonShape::Node* node, int depth) {
  simdjson::ondemand::object object;
  if (const auto error = value.get_object().get(object)) return FailWith(error);
  const std::size_t keys_begin = keys_.size();
  bool empty = true;
  for (auto result : object) {
    simdjson::ondemand::field field;
    if (const auto error = std::move(result).get(field)) return FailWith(error);
    empty = false;
    const std::string_view key = KeyText(field.key().raw());
    if (!WalkMember(key, field.value(), node, depth)) return false;
  }
  if (empty && node == nullptr) CountUnknown();
  return CheckKeys(keys_begin);
}

bool JsonScanner::WalkArray(Value value, const JsonShape::Node* node, int depth) {
  simdjson::ondemand::array array;
  if (const auto error = value.get_array().get(array)) return FailWith(error);
  std::size_t index = 0;
  for (auto result : array) {
    Value element;
    if (const auto error = std::move(result).get(element)) return FailWith(error);
    char digits[20];
    const auto end = std::to_chars(digits, digits + sizeof digits, index++).ptr;
    const std::string_view key(digits, static_cast<std::size_t>(end - digits));
    path_.push_back(key);
    const int child = node == nullptr ? JsonShape::kNone : FindChild(*node, key);
    const JsonShape::Node* below = child == JsonShape::kNone ? nullptr : &shape_.node(child);
    if (!WalkValue(element, below, depth + 1)) return false;
    path_.pop_back();
  }
  if (index == 0) CountUnknown();
  return true;
}

bool JsonScanner::WalkMember(std::string_view key,
                             Value value,
                             const JsonShape::Node* node,
                             int depth) {
  if (!HasValidEscapes(key)) return Fail(reason::kJson, "a key has an escape that JSON lacks");
  path_.push_back(key);
  bool walked = false;
  const int child = node == nullptr ? JsonShape::kNone : FindChild(*node, key);
  if (child != JsonShape::kNone) {
    walked = WalkDeclared(key, value, child, node->spine, depth);
  } else {
    keys_.push_back(key);
    walked =
        node == nullptr ? WalkValue(value, nullptr, depth + 1) : WalkUnknown(key, value, depth);
  }
  if (walked) path_.pop_back();
  return walked;
}

int JsonScanner::FindChild(const JsonShape::Node& node, std::string_view key) {
  if (key.contains('\\')) {
    unescaped_key_.clear();
    if (!AppendUnescaped(key, unescaped_key_)) return JsonShape::kNone;
    key = unescaped_key_;
  }
  for (std::size_t i = 0; i < node.keys.size(); ++i) {
    if (node.keys[i] == key) return node.children[i];
  }
  return JsonShape::kNone;
}

bool JsonScanner::WalkDeclared(std::string_view key, Value value, int child, int spine, int depth) {
  std::uint64_t& seen = seen_[static_cast<std::size_t>(child)];
  if (seen == scan_) return Fail(reason::kDuplicateKey, Path() + " stands there twice");
  seen = scan_;
  const JsonShape::Node& node = shape_.node(child);
  if (unknown_ != UnknownFields::kCapture) return WalkValue(value, &node, depth + 1);
  if (spine != JsonShape::kNone && node.spine == spine + 1) {
    std::string* const outer =
        std::exchange(capture_, &captured_[static_cast<std::size_t>(node.spine)]);
    const bool walked = WalkValue(value, &node, depth + 1);
    capture_ = outer;
    return walked;
  }
  const std::string_view token = Trimmed(value.raw_json_token());
  const std::int64_t leaves_before = unknown_leaves_;
  const std::size_t before = capture_->size();
  OpenMember(key);
  const std::size_t opened = capture_->size();
  *capture_ += '{';
  if (!WalkValue(value, &node, depth + 1)) return false;
  if (unknown_leaves_ == leaves_before) {
    capture_->resize(before);
  } else if (token.front() == '{') {
    *capture_ += '}';
  } else {  // the value itself is what nobody declared
    capture_->resize(opened);
    *capture_ += token.front() == '[' ? TextUntilHere(token) : token;
  }
  return true;
}

bool JsonScanner::WalkUnknown(std::string_view key, Value value, int depth) {
  const std::string_view token = Trimmed(value.raw_json_token());
  const std::int64_t leaves_before = unknown_leaves_;
  if (!WalkValue(value, nullptr, depth + 1)) return false;
  if (unknown_ != UnknownFields::kCapture || unknown_leaves_ == leaves_before) return true;
  const bool container = token.front() == '{' || token.front() == '[';
  OpenMember(key);
  *capture_ += container ? TextUntilHere(token) : token;
  return true;
}

void JsonScanner::OpenMember(std::string_view key) {
  if (!capture_->empty() && capture_->back() != '{') *capture_ += ',';
  *capture_ += '"';
  *capture_ += key;
  *capture_ += "\":";
}

void JsonScanner::CountUnknown() {
  if (swallowing_ > 0) return;
  if (unknown_leaves_++ == 0) AppendPath(first_unknown_);
}

bool JsonScanner::CheckKeys(std::size_t begin) {
  const auto first = keys_.begin() + static_cast<std::ptrdiff_t>(begin);
  std::sort(first, keys_.end());
  const auto twice = std::adjacent_find(first, keys_.end());
  if (twice != keys_.end()) {
    std::string pointer = Path();
    AppendPointerKey(*twice, pointer);
    return Fail(reason::kDuplicateKey, pointer + " stands there twice");
  }
  keys_.resize(begin);
  return true;
}

}  // namespace tidemark::edge

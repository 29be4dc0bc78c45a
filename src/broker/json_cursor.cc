#include "broker/json_cursor.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <bit>
#include <charconv>
#include <cstring>
#include <vector>

#include "format/json_escape.h"

namespace tidemark::broker {

namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// The first byte at or after `at` that a string cannot simply run over: a quote, a backslash or a
// control character. Eight bytes at a time, by the classic zero-byte trick; payloads are mostly
// string bytes.
std::size_t FindSpecial(std::string_view text, std::size_t at) {
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  constexpr std::uint64_t kHigh = 0x8080808080808080;
  static_assert(std::endian::native == std::endian::little);
  const auto zero_bytes = [](std::uint64_t w) { return (w - kOnes) & ~w & kHigh; };
  while (at + 8 <= text.size()) {
    std::uint64_t word;
    std::memcpy(&word, text.data() + at, 8);
    const std::uint64_t quotes = zero_bytes(word ^ (kOnes * '"'));
    const std::uint64_t slashes = zero_bytes(word ^ (kOnes * '\\'));
    const std::uint64_t controls = (word - kOnes * 0x20) & ~word & kHigh;
    if (const std::uint64_t found = quotes | slashes | controls; found != 0) {
      return at + static_cast<std::size_t>(std::countr_zero(found)) / 8;
    }
    at += 8;
  }
  while (at < text.size() && text[at] != '"' && text[at] != '\\' &&
         static_cast<unsigned char>(text[at]) >= 0x20) {
    ++at;
  }
  return at;
}

}  // namespace

bool IsUtf8(std::string_view text) { return simdjson::validate_utf8(text.data(), text.size()); }

std::unexpected<Error> JsonCursor::Wrong(std::string_view what) const {
  return Fail(ErrorCode::kInvalidArgument, fmt::format("{} at byte {}", what, at_));
}

void JsonCursor::SkipSpace() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c != ' ' && c != '\n' && c != '\r' && c != '\t') return;
    ++at_;
  }
}

bool JsonCursor::TryAt(char c) {
  if (at_ >= text_.size() || text_[at_] != c) return false;
  ++at_;
  return true;
}

bool JsonCursor::TryByte(char c) {
  SkipSpace();
  return TryAt(c);
}

Status JsonCursor::Expect(char c) {
  if (!TryByte(c)) return Wrong(fmt::format("expected '{}'", c));
  return {};
}

Status JsonCursor::Enter(char c, std::string_view what) {
  if (!TryByte(c)) return Wrong(fmt::format("expected {}", what));
  if (++depth_ > kJsonDepthMax) return Wrong("nested deeper than 1000");
  return {};
}

Status JsonCursor::Leave() {
  --depth_;
  return {};
}

Result<JsonType> JsonCursor::Peek() {
  SkipSpace();
  if (at_ >= text_.size()) return Wrong("unexpected end");
  switch (text_[at_]) {
    case '{':
      return JsonType::kObject;
    case '[':
      return JsonType::kArray;
    case '"':
      return JsonType::kString;
    case 't':
    case 'f':
      return JsonType::kBool;
    case 'n':
      return JsonType::kNull;
    default:
      return JsonType::kNumber;
  }
}

Result<std::string_view> JsonCursor::Raw() {
  SkipSpace();
  const std::size_t begin = at_;
  TIDEMARK_TRY_VOID(Skip());
  return text_.substr(begin, at_ - begin);
}

Result<std::string_view> JsonCursor::String() {
  SkipSpace();
  if (at_ >= text_.size() || text_[at_] != '"') return Wrong("expected a string");
  const std::size_t begin = at_ + 1;
  const std::size_t end = FindSpecial(text_, begin);
  if (end < text_.size() && text_[end] == '"') {
    at_ = end + 1;
    return text_.substr(begin, end - begin);
  }
  at_ = begin;
  TIDEMARK_TRY_VOID(Unescape(unescaped_.emplace_back()));
  return std::string_view(unescaped_.back());
}

Status JsonCursor::Unescape(std::string& out) {
  while (true) {
    const std::size_t run = at_;
    at_ = FindSpecial(text_, at_);
    out += text_.substr(run, at_ - run);
    if (at_ >= text_.size()) return Wrong("unterminated string");
    if (TryAt('"')) return {};
    if (!TryAt('\\')) return Wrong("control character in a string");
    TIDEMARK_TRY_VOID(UnescapeOne(out));
  }
}

// `at_` stands behind the backslash.
Status JsonCursor::UnescapeOne(std::string& out) {
  if (at_ >= text_.size()) return Wrong("unterminated string");
  if (text_[at_] == 'u') {
    TIDEMARK_TRY(const std::uint32_t code_point, CodePoint());
    format::AppendUtf8(code_point, out);
    return {};
  }
  const char plain = format::UnescapedOf(text_[at_]);
  if (plain == '\0') return Wrong("unknown escape");
  out += plain;
  ++at_;
  return {};
}

// `at_` stands on the 'u'; moves behind the escape, or behind both of a surrogate pair.
Result<std::uint32_t> JsonCursor::CodePoint() {
  TIDEMARK_TRY(const std::uint32_t unit, HexUnit());
  if (unit < 0xD800 || unit > 0xDFFF) return unit;
  if (unit > 0xDBFF || text_.substr(at_, 2) != "\\u") return Wrong("lone surrogate");
  ++at_;
  TIDEMARK_TRY(const std::uint32_t low, HexUnit());
  if (low < 0xDC00 || low > 0xDFFF) return Wrong("lone surrogate");
  return 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
}

// `at_` stands on the 'u'; moves behind the four digits.
Result<std::uint32_t> JsonCursor::HexUnit() {
  std::uint32_t unit = 0;
  const std::string_view digits = text_.substr(at_ + 1, 4);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), unit, 16);
  if (error != std::errc() || digits.size() != 4 || end != digits.data() + 4) {
    return Wrong("\\u without four hexadecimal digits");
  }
  at_ += 5;
  return unit;
}

Result<std::int64_t> JsonCursor::Integer() {
  SkipSpace();
  const std::size_t begin = at_;
  if (at_ >= text_.size() || (text_[at_] != '-' && !IsDigit(text_[at_]))) {
    return Wrong("expected an integer");
  }
  TIDEMARK_TRY_VOID(SkipNumber());
  const char* const last = text_.data() + at_;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text_.data() + begin, last, value);
  if (error != std::errc() || end != last) return Wrong("expected an integer of 64 bits");
  return value;
}

Result<bool> JsonCursor::Bool() {
  SkipSpace();
  if (text_.substr(at_, 4) == "true") {
    at_ += 4;
    return true;
  }
  if (!SkipWord("false")) return Wrong("expected true or false");
  return false;
}

Status JsonCursor::End() {
  SkipSpace();
  if (at_ != text_.size()) return Wrong("something follows the value");
  return {};
}

Status JsonCursor::SkipString() {
  ++at_;
  while (true) {
    at_ = FindSpecial(text_, at_);
    if (at_ >= text_.size()) return Wrong("unterminated string");
    if (text_[at_] == '"') {
      ++at_;
      return {};
    }
    if (text_[at_] != '\\') return Wrong("control character in a string");
    if (++at_ >= text_.size()) return Wrong("unterminated string");
    if (text_[at_] == 'u') {
      TIDEMARK_TRY_VOID(HexUnit());
    } else if (format::UnescapedOf(text_[at_]) == '\0') {
      return Wrong("unknown escape");
    } else {
      ++at_;
    }
  }
}

Status JsonCursor::SkipNumber() {
  const auto digits = [this] {
    const std::size_t begin = at_;
    while (at_ < text_.size() && IsDigit(text_[at_])) ++at_;
    return at_ - begin;
  };
  if (text_[at_] == '-') ++at_;
  const bool leading_zero = at_ < text_.size() && text_[at_] == '0';
  const std::size_t whole = digits();
  if (whole == 0 || (leading_zero && whole > 1)) return Wrong("bad number");
  if (at_ < text_.size() && text_[at_] == '.') {
    ++at_;
    if (digits() == 0) return Wrong("bad number");
  }
  if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
    ++at_;
    if (at_ < text_.size() && (text_[at_] == '+' || text_[at_] == '-')) ++at_;
    if (digits() == 0) return Wrong("bad number");
  }
  return {};
}

Status JsonCursor::SkipWord(std::string_view word) {
  if (text_.substr(at_, word.size()) != word) return Wrong("expected a value");
  at_ += word.size();
  return {};
}

Status JsonCursor::SkipScalar() {
  switch (text_[at_]) {
    case '"':
      return SkipString();
    case 't':
      return SkipWord("true");
    case 'f':
      return SkipWord("false");
    case 'n':
      return SkipWord("null");
    default:
      if (text_[at_] != '-' && !IsDigit(text_[at_])) return Wrong("expected a value");
      return SkipNumber();
  }
}

Status JsonCursor::Skip() {
  SkipSpace();
  if (at_ >= text_.size()) return Wrong("unexpected end");
  if (text_[at_] == '{' || text_[at_] == '[') return SkipContainer();
  return SkipScalar();
}

// Iterative, so that a hostile depth costs a byte a level and no stack.
Status JsonCursor::SkipContainer() {
  std::vector<char> open;
  while (true) {
    TIDEMARK_TRY_VOID(SkipToValue(open));
    TIDEMARK_TRY(const bool all_closed, CloseEnded(open));
    if (all_closed) return {};
  }
}

// A value is due here: goes down to the first that ends where it stands, a scalar or an empty
// container.
Status JsonCursor::SkipToValue(std::vector<char>& open) {
  while (true) {
    SkipSpace();
    if (at_ >= text_.size()) return Wrong("unexpected end");
    const char c = text_[at_];
    if (c != '{' && c != '[') return SkipScalar();
    ++at_;
    if (depth_ + open.size() >= kJsonDepthMax) return Wrong("nested deeper than 1000");
    if (TryByte(c == '{' ? '}' : ']')) return {};
    open.push_back(c);
    if (c == '{') TIDEMARK_TRY_VOID(SkipName());
  }
}

// A value has ended: closes what ends with it, up to where the next value is due. True when nothing
// is left open.
Result<bool> JsonCursor::CloseEnded(std::vector<char>& open) {
  while (!open.empty() && TryByte(open.back() == '{' ? '}' : ']')) open.pop_back();
  if (open.empty()) return true;
  TIDEMARK_TRY_VOID(Expect(','));
  if (open.back() == '{') TIDEMARK_TRY_VOID(SkipName());
  return false;
}

Status JsonCursor::SkipName() {
  SkipSpace();
  if (at_ >= text_.size() || text_[at_] != '"') return Wrong("expected a member name");
  TIDEMARK_TRY_VOID(SkipString());
  return Expect(':');
}

}  // namespace tidemark::broker

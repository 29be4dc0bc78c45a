#include "edge/dataset/json_layout.h"

#include <simdjson.h>

#include <algorithm>
#include <cstring>

#include "edge/dataset/byte_words.h"
#include "edge/dataset/json_string.h"

namespace tidemark::edge {

namespace {

bool SameBytes(const char* a, const char* b, std::size_t count) {
  const auto differing = [&](std::size_t at) { return words::Load(a + at) ^ words::Load(b + at); };
  if (count < words::kBytes) return words::Head(differing(0), count) == 0;
  // The last word overlaps the one before it.
  std::uint64_t differences = differing(0) | differing(count - words::kBytes);
  for (std::size_t at = words::kBytes; at + words::kBytes < count; at += words::kBytes) {
    differences |= differing(at);
  }
  return differences == 0;
}

// What a value's end is looked for in.
struct Cursor {
  const char* at;
  const char* end;
};

// How many of sixteen bytes are plain within a string: up to a quote, a backslash, a control
// character or, unless they were met before, one that is not ASCII.
std::size_t PlainBytes(const char* at, bool not_ascii) {
  using Bytes = signed char __attribute__((vector_size(2 * words::kBytes)));
  using Words = std::uint64_t __attribute__((vector_size(2 * words::kBytes)));
  Bytes bytes;
  std::memcpy(&bytes, at, sizeof bytes);
  // Signed, what is not ASCII lies below the control characters; with its sign turned, above all.
  const signed char turn = not_ascii ? -128 : 0;
  const auto stops = reinterpret_cast<Words>(
      (bytes == '"') | (bytes == '\\') | ((bytes ^ turn) < static_cast<signed char>(' ' ^ turn)));
  return stops[0] != 0 ? words::First(stops[0]) : words::kBytes + words::First(stops[1]);
}

// Moves behind the closing quote of the string that begins here. False: it is no plain string.
bool TakeString(Cursor& text, Token& token) {
  const char* const begin = text.at + 1;
  bool not_ascii = false;
  bool escaped = false;
  for (const char* at = begin; at < text.end;) {
    const std::size_t plain = PlainBytes(at, not_ascii);
    at += plain;
    if (plain == 2 * words::kBytes) continue;
    if (*at == '"') {
      token = {TokenKind::kString, escaped, {begin, at}};
      text.at = at + 1;
      if (escaped && !HasValidEscapes(token.raw)) return false;
      return !not_ascii || simdjson::validate_utf8(begin, token.raw.size());
    }
    if (*at == '\\') {
      escaped = true;
      at += 2;
    } else if (static_cast<unsigned char>(*at) >= 0x80) {
      not_ascii = true;
    } else {
      return false;
    }
  }
  return false;
}

bool IsDigit(const Cursor& text) {
  return text.at < text.end && static_cast<unsigned char>(*text.at - '0') < 10;
}

bool TakeDigits(Cursor& text) {
  if (!IsDigit(text)) return false;
  while (IsDigit(text)) ++text.at;
  return true;
}

// Where a number ends that fits a word and has no exponent. nullptr: it is another, or none.
const char* TakeShortNumber(const char* at, ShortNumber& number) {
  number.negative = *at == '-';
  if (number.negative) ++at;
  const std::uint64_t word = words::Load(at);
  std::uint64_t others = words::MaskOfOthersThanDigits(word);
  const std::size_t whole = words::First(others);
  if (whole == 0 || whole == words::kBytes || (*at == '0' && whole > 1)) return nullptr;
  number.known = true;
  if (at[whole] != '.') {
    number.digits = static_cast<std::uint32_t>(words::DigitsOf(word, whole));
    return (at[whole] | 0x20) == 'e' ? nullptr : at + whole;
  }
  others &= others - 1;
  const std::size_t end = words::First(others);
  if (end == words::kBytes || end == whole + 1 || (at[end] | 0x20) == 'e') return nullptr;
  const std::uint64_t behind_point = ~std::uint64_t{0} << (8 * whole);
  const std::uint64_t joined = (word & ~behind_point) | (word >> 8 & behind_point);
  number.digits = static_cast<std::uint32_t>(words::DigitsOf(joined, end - 1));
  number.scale = static_cast<std::uint8_t>(end - whole - 1);
  return at + end;
}

// Moves behind the number (RFC 8259).
bool TakeNumber(Cursor& text, Token& token) {
  const char* const begin = text.at;
  ShortNumber number;
  if (const char* const end = TakeShortNumber(begin, number)) {
    token = {TokenKind::kNumber, false, {begin, end}, number};
    text.at = end;
    return true;
  }
  if (*text.at == '-') ++text.at;
  const bool zero = text.at < text.end && *text.at == '0';
  if (zero) ++text.at;
  if (zero ? IsDigit(text) : !TakeDigits(text)) return false;
  if (text.at < text.end && *text.at == '.') {
    ++text.at;
    if (!TakeDigits(text)) return false;
  }
  if (text.at < text.end && (*text.at == 'e' || *text.at == 'E')) {
    ++text.at;
    if (text.at < text.end && (*text.at == '+' || *text.at == '-')) ++text.at;
    if (!TakeDigits(text)) return false;
  }
  token = {TokenKind::kNumber, false, {begin, text.at}};
  return true;
}

bool TakeWord(Cursor& text, std::string_view word, TokenKind kind, Token& token) {
  if (!SameBytes(text.at, word.data(), word.size())) return false;
  token = {kind, false, {text.at, word.size()}};
  text.at += word.size();
  return true;
}

bool TakeScalar(Cursor& text, Token& token) {
  // As long as a word, for SameBytes.
  static constexpr char kTrue[] = "true\0\0\0";
  static constexpr char kFalse[] = "false\0\0";
  static constexpr char kNull[] = "null\0\0\0";
  if (text.at >= text.end) return false;
  if (*text.at == '"') return TakeString(text, token);
  if (*text.at <= '9') return TakeNumber(text, token);
  switch (*text.at) {
    case 't':
      return TakeWord(text, {kTrue, 4}, TokenKind::kBool, token);
    case 'f':
      return TakeWord(text, {kFalse, 5}, TokenKind::kBool, token);
    case 'n':
      return TakeWord(text, {kNull, 4}, TokenKind::kNull, token);
    default:
      return false;
  }
}

}  // namespace

void JsonLayout::Learn(std::string_view document,
                       const std::vector<Leaf>& leaves,
                       std::size_t slots) {
  text_.clear();
  pieces_.clear();
  empty_slots_.clear();
  const char* at = document.data();
  for (const Leaf& leaf : leaves) {
    const std::string_view piece(at, leaf.text.begin());
    text_ += piece;
    pieces_.push_back({.bytes = static_cast<std::uint32_t>(piece.size()), .slot = leaf.slot});
    at = leaf.text.end();
  }
  const std::string_view tail(at, document.end());
  text_ += tail;
  tail_bytes_ = static_cast<std::uint32_t>(tail.size());
  text_.append(kReadBehind, '\0');
  for (std::size_t slot = 0; slot < slots; ++slot) {
    const auto has_slot = [&](const Piece& piece) {
      return piece.slot == static_cast<std::int32_t>(slot);
    };
    if (std::ranges::none_of(pieces_, has_slot)) empty_slots_.push_back(slot);
  }
  known_ = true;
}

bool JsonLayout::Match(std::string_view document,
                       std::vector<Token>& slots,
                       std::int64_t& without) const {
  if (!known_) return false;
  Cursor text{document.begin(), document.end()};
  const char* expected = text_.data();
  const auto take_piece = [&](std::size_t bytes) {
    // A value may have gone on behind the end.
    if (text.at + bytes > text.end) return false;
    if (!SameBytes(text.at, expected, bytes)) return false;
    text.at += bytes;
    expected += bytes;
    return true;
  };
  for (const std::size_t slot : empty_slots_) slots[slot] = {};
  Token unslotted;
  without = 0;
  for (const Piece& piece : pieces_) {
    if (!take_piece(piece.bytes)) return false;
    Token& token = piece.slot < 0 ? unslotted : slots[static_cast<std::size_t>(piece.slot)];
    if (!TakeScalar(text, token)) return false;
    if (piece.slot < 0 && token.kind != TokenKind::kNull) ++without;
  }
  return take_piece(tail_bytes_) && text.at == text.end;
}

bool JsonLayouts::Match(std::string_view document,
                        std::vector<Token>& slots,
                        std::int64_t& without) {
  for (std::size_t i = 0; i < kLayouts; ++i) {
    const std::size_t candidate = (last_ + i) % kLayouts;
    if (layouts_[candidate].Match(document, slots, without)) {
      last_ = candidate;
      return true;
    }
  }
  return false;
}

void JsonLayouts::Learn(std::string_view document,
                        const std::vector<JsonLayout::Leaf>& leaves,
                        std::size_t slots) {
  last_ = (last_ + 1) % kLayouts;
  layouts_[last_].Learn(document, leaves, slots);
}

}  // namespace tidemark::edge

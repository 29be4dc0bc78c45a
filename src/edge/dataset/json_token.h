#pragma once
// A value in a JSON document, as the document has it: values stay text until a column converts
// them.

#include <cstdint>
#include <string_view>

namespace tidemark::edge {

// What many numbers are: at most eight digits around a point, and no exponent. The value is
// digits / 10^scale.
struct ShortNumber {
  bool known = false;  // false: the number is longer, or nobody looked
  bool negative = false;
  std::uint8_t scale = 0;
  std::uint32_t digits = 0;
};

enum class TokenKind : std::uint8_t { kMissing, kNull, kBool, kNumber, kString, kObject, kArray };

struct Token {
  TokenKind kind = TokenKind::kMissing;
  bool escaped = false;  // of a string: it holds a backslash
  std::string_view raw;  // the value's text; of a string what is between its quotes
  ShortNumber number = {};

  // null counts as missing.
  bool IsAbsent() const { return kind == TokenKind::kMissing || kind == TokenKind::kNull; }

  // A string's quotes included.
  std::string_view Verbatim() const {
    return kind == TokenKind::kString ? std::string_view(raw.data() - 1, raw.size() + 2) : raw;
  }
};

}  // namespace tidemark::edge

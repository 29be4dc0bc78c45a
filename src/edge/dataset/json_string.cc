#include "edge/dataset/json_string.h"

#include <array>
#include <cstdint>

#include "format/json_escape.h"

namespace tidemark::edge {

namespace {

constexpr std::size_t kHexDigits = 4;

// The value of four hex digits; -1 when they are not.
int HexValue(std::string_view digits) {
  if (digits.size() < kHexDigits) return -1;
  int value = 0;
  for (const char c : digits.substr(0, kHexDigits)) {
    int digit = -1;
    if (c >= '0' && c <= '9') digit = c - '0';
    if (c >= 'a' && c <= 'f') digit = c - 'a' + 10;
    if (c >= 'A' && c <= 'F') digit = c - 'A' + 10;
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

bool IsHigh(int unit) { return unit >= 0xd800 && unit < 0xdc00; }

bool IsLow(int unit) { return unit >= 0xdc00 && unit < 0xe000; }

// Takes `uXXXX` and, for the first half of a pair, the second.
bool TakeUnicode(std::string_view& rest, std::string& out) {
  int point = HexValue(rest.substr(1));
  rest.remove_prefix(1 + kHexDigits);
  if (IsLow(point)) return false;
  if (IsHigh(point)) {
    if (!rest.starts_with("\\u")) return false;
    const int low = HexValue(rest.substr(2));
    if (!IsLow(low)) return false;
    point = 0x10000 + ((point - 0xd800) << 10) + (low - 0xdc00);
    rest.remove_prefix(2 + kHexDigits);
  }
  format::AppendUtf8(static_cast<std::uint32_t>(point), out);
  return true;
}

constexpr std::array<std::int8_t, 256> Base64Values() {
  std::array<std::int8_t, 256> values{};
  values.fill(-1);
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (std::size_t i = 0; i < kAlphabet.size(); ++i) {
    values[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::int8_t>(i);
  }
  return values;
}

constexpr auto kBase64Values = Base64Values();

}  // namespace

bool HasValidEscapes(std::string_view raw) {
  for (auto at = raw.find('\\'); at != std::string_view::npos; at = raw.find('\\')) {
    raw.remove_prefix(at + 1);
    if (raw.empty()) return false;
    if (raw.front() == 'u') {
      if (HexValue(raw.substr(1)) < 0) return false;
      raw.remove_prefix(1 + kHexDigits);
    } else if (format::UnescapedOf(raw.front()) != '\0') {
      raw.remove_prefix(1);
    } else {
      return false;
    }
  }
  return true;
}

bool AppendUnescaped(std::string_view raw, std::string& out) {
  for (auto at = raw.find('\\'); at != std::string_view::npos; at = raw.find('\\')) {
    out.append(raw.substr(0, at));
    raw.remove_prefix(at + 1);
    if (raw.front() == 'u') {
      if (!TakeUnicode(raw, out)) return false;
    } else {
      out += format::UnescapedOf(raw.front());
      raw.remove_prefix(1);
    }
  }
  out.append(raw);
  return true;
}

bool AppendBase64Decoded(std::string_view text, std::string& out) {
  if (text.size() % 4 != 0) return false;
  std::size_t padding = 0;
  for (; padding < 2 && text.ends_with('='); ++padding) text.remove_suffix(1);
  std::uint32_t bits = 0;
  int held = 0;
  for (const char c : text) {
    const std::int8_t value = kBase64Values[static_cast<unsigned char>(c)];
    if (value < 0) return false;
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    held += 6;
    if (held >= 8) {
      held -= 8;
      out += static_cast<char>(bits >> held & 0xff);
    }
  }
  return (bits & ((1U << held) - 1)) == 0;
}

}  // namespace tidemark::edge

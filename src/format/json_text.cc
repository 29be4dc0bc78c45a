#include "format/json_text.h"

#include <array>
#include <cstdint>
#include <cstring>

namespace tidemark::format {

namespace {

// For each byte: 0 when it stands for itself, the letter after the backslash, or 'u' for the
// numeric form.
constexpr auto kEscapes = [] {
  std::array<char, 256> escapes{};
  for (std::size_t c = 0; c < 0x20; ++c) escapes[c] = 'u';
  escapes['"'] = '"';
  escapes['\\'] = '\\';
  escapes['\b'] = 'b';
  escapes['\f'] = 'f';
  escapes['\n'] = 'n';
  escapes['\r'] = 'r';
  escapes['\t'] = 't';
  return escapes;
}();

constexpr std::uint64_t EachByte(std::uint64_t byte) { return byte * 0x0101010101010101U; }

// Nonzero when one of eight bytes is below 0x20, a quote or a backslash: the usual "has a zero
// byte" trick, in which a borrow can only raise a false alarm above a true one.
std::uint64_t NeedsEscape(std::uint64_t word) {
  const std::uint64_t quote = word ^ EachByte('"');
  const std::uint64_t backslash = word ^ EachByte('\\');
  const std::uint64_t found = ((word - EachByte(0x20)) & ~word) | ((quote - EachByte(1)) & ~quote) |
                              ((backslash - EachByte(1)) & ~backslash);
  return found & EachByte(0x80);
}

// Length of the head of `text` that needs no escape.
std::size_t PlainLength(std::string_view text) {
  std::size_t at = 0;
  for (; at + sizeof(std::uint64_t) <= text.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t word;
    std::memcpy(&word, text.data() + at, sizeof(word));
    if (NeedsEscape(word) != 0) break;
  }
  while (at < text.size() && kEscapes[static_cast<unsigned char>(text[at])] == 0) ++at;
  return at;
}

void AppendEscape(unsigned char byte, std::string& out) {
  static constexpr char kDigits[] = "0123456789abcdef";
  const char letter = kEscapes[byte];
  out.push_back('\\');
  out.push_back(letter);
  if (letter == 'u') {
    out.append("00");
    out.push_back(kDigits[byte >> 4]);
    out.push_back(kDigits[byte & 0xf]);
  }
}

}  // namespace

void AppendJsonString(std::string_view text, std::string& out) {
  out.push_back('"');
  while (true) {
    const std::size_t plain = PlainLength(text);
    out.append(text.substr(0, plain));
    if (plain == text.size()) break;
    AppendEscape(static_cast<unsigned char>(text[plain]), out);
    text.remove_prefix(plain + 1);
  }
  out.push_back('"');
}

}  // namespace tidemark::format

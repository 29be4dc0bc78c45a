#include "obs/valid_utf8.h"

namespace tidemark::obs {

namespace {

unsigned ByteAt(std::string_view text, std::size_t at) {
  return at < text.size() ? static_cast<unsigned char>(text[at]) : 0U;
}

// Of the head of `text` that is valid.
std::size_t ValidLength(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t length = CharacterLength(text.substr(at));
    if (length == 0) break;
    at += length;
  }
  return at;
}

}  // namespace

std::size_t CharacterLength(std::string_view text) {
  const unsigned lead = ByteAt(text, 0);
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  // The second byte rules out overlong forms, surrogates and what lies above U+10FFFF.
  const unsigned least = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const unsigned most = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  if (ByteAt(text, 1) < least || ByteAt(text, 1) > most) return 0;
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  for (std::size_t at = 2; at < length; ++at) {
    if ((ByteAt(text, at) & 0xC0) != 0x80) return 0;
  }
  return length;
}

std::string ValidUtf8(std::string text) {
  std::string_view rest = text;
  std::size_t valid = ValidLength(rest);
  if (valid == rest.size()) return text;
  std::string out;
  while (true) {
    out += rest.substr(0, valid);
    if (valid == rest.size()) return out;
    out += kReplacementCharacter;
    rest.remove_prefix(valid + 1);
    valid = ValidLength(rest);
  }
}

}  // namespace tidemark::obs

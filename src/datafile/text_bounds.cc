#include "datafile/text_bounds.h"

#include <cstdint>

namespace tidemark::datafile {

namespace {

// One byte more than a bound: it tells whether the cut falls between two characters.
constexpr std::size_t kKeptBytes = kStatisticsBytesMax + 1;

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

// Length of the head of whole characters within the limit.
std::size_t CutLength(std::string_view value) {
  std::size_t length = kStatisticsBytesMax;
  while (length > 0 && IsContinuation(value[length])) --length;
  return length;
}

// Bits of the code point that the lead byte of a character of `length` bytes holds.
constexpr std::uint32_t LeadMask(std::size_t length) {
  return length == 1 ? 0x7f : (0x7fU >> length);
}

constexpr std::uint32_t LeadMarker(std::size_t length) { return ~LeadMask(length) << 1 & 0xff; }

bool IsWhole(std::string_view character) {
  if (character.size() > 4) return false;
  const auto lead = static_cast<unsigned char>(character[0]);
  return (lead & ~LeadMask(character.size())) == LeadMarker(character.size());
}

std::uint32_t Decode(std::string_view character) {
  std::uint32_t point = static_cast<unsigned char>(character[0]) & LeadMask(character.size());
  for (const char c : character.substr(1)) {
    point = point << 6 | (static_cast<unsigned char>(c) & 0x3fU);
  }
  return point;
}

constexpr std::uint32_t LastPointOfLength(std::size_t length) {
  constexpr std::uint32_t kLast[] = {0, 0x7f, 0x7ff, 0xffff, 0x10ffff};
  return kLast[length];
}

// Raises a character to the next code point in place; false when that one is longer, or this is no
// character.
bool Raise(char* character, std::size_t length) {
  if (!IsWhole({character, length})) return false;
  std::uint32_t point = Decode({character, length});
  if (point >= LastPointOfLength(length)) return false;
  constexpr std::uint32_t kSurrogatesBegin = 0xd800;
  constexpr std::uint32_t kSurrogatesEnd = 0xe000;
  point = point + 1 == kSurrogatesBegin ? kSurrogatesEnd : point + 1;
  for (std::size_t i = length - 1; i > 0; --i, point >>= 6) {
    character[i] = static_cast<char>(0x80 | (point & 0x3f));
  }
  character[0] = static_cast<char>(LeadMarker(length) | point);
  return true;
}

}  // namespace

Bound LowerBound(std::string_view value) {
  if (value.size() <= kStatisticsBytesMax) return {std::string(value)};
  return {std::string(value.substr(0, CutLength(value))), false};
}

std::optional<Bound> UpperBound(std::string_view value) {
  if (value.size() <= kStatisticsBytesMax) return Bound{std::string(value)};
  Bound bound{std::string(value.substr(0, CutLength(value))), false};
  std::string& text = bound.text;
  while (!text.empty()) {
    std::size_t at = text.size() - 1;
    while (at > 0 && IsContinuation(text[at])) --at;
    if (Raise(text.data() + at, text.size() - at)) return bound;
    text.resize(at);
  }
  return std::nullopt;
}

void TextBounds::Add(std::string_view value) {
  value = value.substr(0, kKeptBytes);
  if (!any_ || value < min_) min_ = value;
  if (!any_ || value > max_) max_ = value;
  any_ = true;
}

}  // namespace tidemark::datafile

#include "obs/page_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "obs/valid_utf8.h"

namespace tidemark::obs {

namespace {

bool IsControl(char c) { return (c >= 0 && c < 0x20) || c == 0x7f; }

std::string_view Entity(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return {};
  }
}

}  // namespace

std::string HtmlText(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t size = IsControl(text.front()) ? 0 : CharacterLength(text);
    const std::string_view entity = Entity(text.front());
    if (size == 0) {
      out += kReplacementCharacter;
    } else {
      out += entity.empty() ? text.substr(0, size) : entity;
    }
    text.remove_prefix(std::max<std::size_t>(size, 1));
  }
  return out;
}

std::string CountWords(std::int64_t number) {
  const std::string digits = fmt::format("{}", number);
  std::string words;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const std::size_t left = digits.size() - i;
    if (i > 0 && left % 3 == 0 && digits[i - 1] != '-') words += "\xc2\xa0";
    words += digits[i];
  }
  return words;
}

std::string SizeWords(double bytes) {
  if (bytes < 1024) return fmt::format("{:.0f} B", bytes);
  constexpr std::array kUnits{"KiB", "MiB", "GiB", "TiB", "PiB"};
  std::size_t unit = 0;
  bytes /= 1024;
  while (bytes >= 1023.95 && unit + 1 < kUnits.size()) {
    bytes /= 1024;
    ++unit;
  }
  return fmt::format("{:.1f} {}", bytes, kUnits[unit]);
}

std::string SpanWords(double seconds) {
  const auto s = static_cast<std::int64_t>(std::max(seconds, 0.0));
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3'600) return fmt::format("{} min {} s", s / 60, s % 60);
  if (s < 86'400) return fmt::format("{} h {} min", s / 3'600, s % 3'600 / 60);
  return fmt::format("{} d {} h", s / 86'400, s % 86'400 / 3'600);
}

std::string TimeWords(Micros t) {
  if (t == kMinusInfinity) return "never";
  std::string iso = FormatIso(t).substr(0, 19);
  iso[10] = ' ';
  return iso;
}

}  // namespace tidemark::obs

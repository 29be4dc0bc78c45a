#include "edge/source/lines.h"

#include <algorithm>

namespace tidemark::edge {

// What room is made for at first.
constexpr std::size_t kLineBytes = 200;

Lines CutLines(std::string_view bytes, bool to_end, std::size_t lines_max) {
  Lines result;
  result.lines.reserve(std::min(lines_max, bytes.size() / kLineBytes + 1));
  while (result.consumed < bytes.size() && result.lines.size() < lines_max) {
    const auto rest = bytes.substr(result.consumed);
    const std::size_t feed = rest.find('\n');
    if (feed == std::string_view::npos && !to_end) break;
    auto text = rest.substr(0, feed);
    result.consumed += feed == std::string_view::npos ? rest.size() : feed + 1;
    ++result.count;
    if (text.ends_with('\r')) text.remove_suffix(1);
    if (!text.empty()) result.lines.push_back({.text = text, .number = result.count});
  }
  return result;
}

}  // namespace tidemark::edge

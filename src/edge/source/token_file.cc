#include "edge/source/token_file.h"

#include <fmt/format.h>

#include <algorithm>

namespace tidemark::edge {

namespace {

constexpr std::int64_t kTokenBytesMax = 4096;

bool IsPrintable(char c) { return c > ' ' && c <= '~'; }

}  // namespace

Result<std::string> ReadTokenFile(io::FileSystem& files, const std::string& path) {
  const auto refuse = [&](std::string_view what) {
    return Fail(ErrorCode::kInvalidArgument, fmt::format("token_file {}: {}", path, what));
  };
  auto text = files.Read(path, 0, kTokenBytesMax + 2);
  if (!text) return refuse(text.error().message);
  if (text->ends_with('\n')) text->pop_back();
  if (text->ends_with('\r')) text->pop_back();
  if (text->empty()) return refuse("it is empty; it holds the token that clients send");
  if (static_cast<std::int64_t>(text->size()) > kTokenBytesMax) {
    return refuse(fmt::format("a token has at most {} characters", kTokenBytesMax));
  }
  if (!std::ranges::all_of(*text, IsPrintable)) {
    return refuse("a token is one line of printable ASCII without blanks");
  }
  return *std::move(text);
}

}  // namespace tidemark::edge

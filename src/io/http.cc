#include "io/http.h"

#include <charconv>

namespace tidemark::io {

std::string_view HttpResponse::Header(std::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (key == name) return value;
  }
  return {};
}

std::int64_t RetryAfterMs(const HttpResponse& response) {
  const std::string_view text = response.Header("retry-after");
  std::int64_t seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc() || end != text.data() + text.size() || seconds < 0) return -1;
  return seconds * 1000;
}

}  // namespace tidemark::io

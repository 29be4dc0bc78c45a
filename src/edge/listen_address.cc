#include "edge/listen_address.h"

#include <fmt/format.h>

#include <charconv>

namespace tidemark::edge {

Result<ListenAddress> ParseListenAddress(const std::string& text) {
  ListenAddress address;
  const auto colon = text.rfind(':');
  bool fits = colon != std::string::npos && colon > 0;
  if (fits) {
    address.host = text.substr(0, colon);
    if (address.host.starts_with('[') && address.host.ends_with(']')) {
      address.host = address.host.substr(1, address.host.size() - 2);
    }
    const char* const last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data() + colon + 1, last, address.port);
    fits = error == std::errc() && end == last && !address.host.empty();
  }
  if (fits) return address;
  return Fail(ErrorCode::kInvalidArgument, fmt::format("listen: \"{}\" is not HOST:PORT", text));
}

}  // namespace tidemark::edge

#pragma once
// `HOST:PORT` as the pipeline file writes it.

#include <cstdint>
#include <string>

#include "base/result.h"

namespace tidemark::edge {

struct ListenAddress {
  std::string host;  // an address; without the brackets of IPv6
  std::uint16_t port = 0;
};

// kInvalidArgument: it is not HOST:PORT.
Result<ListenAddress> ParseListenAddress(const std::string& text);

}  // namespace tidemark::edge

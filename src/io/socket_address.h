#pragma once
// Where a server listens.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tidemark::io {

struct SocketAddress {
  std::string host;  // an IPv4 or IPv6 address, without brackets
  std::uint16_t port = 0;

  // Nobody but this machine gets there: 127.0.0.0/8 and ::1.
  bool IsLoopback() const;

  // As ParseSocketAddress reads it.
  std::string ToString() const;
};

// `a.b.c.d:port`, `[ipv6]:port` or `localhost:port` (127.0.0.1), port 0..65535; nullopt for
// anything else. No other name is known: who may reach a server must not depend on a resolver.
std::optional<SocketAddress> ParseSocketAddress(std::string_view text);

}  // namespace tidemark::io

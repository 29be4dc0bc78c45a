#include "io/socket_address.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <charconv>

namespace tidemark::io {

namespace {

bool IsIp(int family, const std::string& text) {
  in6_addr address{};
  return inet_pton(family, text.c_str(), &address) == 1;
}

}  // namespace

bool SocketAddress::IsLoopback() const {
  in_addr v4{};
  in6_addr v6{};
  constexpr std::uint32_t kLoopbackNet = 127;
  if (inet_pton(AF_INET, host.c_str(), &v4) == 1) return ntohl(v4.s_addr) >> 24 == kLoopbackNet;
  return inet_pton(AF_INET6, host.c_str(), &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}

std::string SocketAddress::ToString() const {
  const bool v6 = host.find(':') != std::string::npos;
  return fmt::format("{}{}{}:{}", v6 ? "[" : "", host, v6 ? "]" : "", port);
}

std::optional<SocketAddress> ParseSocketAddress(std::string_view text) {
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  std::string_view host = text.substr(0, colon);
  const std::string_view port = text.substr(colon + 1);
  const bool bracketed = host.size() >= 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);

  if (host == "localhost" && !bracketed) host = "127.0.0.1";
  SocketAddress address{.host = std::string(host)};
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), address.port);
  if (error != std::errc() || end != port.data() + port.size()) return std::nullopt;
  if (!IsIp(bracketed ? AF_INET6 : AF_INET, address.host)) return std::nullopt;
  return address;
}

}  // namespace tidemark::io

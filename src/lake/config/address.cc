#include "lake/config/address.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>

#include "lake/config/variables.h"

namespace tidemark::lake {

namespace {

std::unexpected<Error> Bad(std::string_view what) {
  return Fail(ErrorCode::kInvalidArgument, std::string(what));
}

bool IsPort(std::string_view text) {
  unsigned port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc() && end == text.data() + text.size() && port <= 65'535;
}

bool IsIp(int family, std::string_view text) {
  in6_addr address{};
  return inet_pton(family, std::string(text).c_str(), &address) == 1;
}

struct HostPort {
  std::string_view host;
  std::optional<std::string_view> port;
  bool bracketed = false;
};

std::optional<HostPort> Split(std::string_view authority) {
  HostPort parts;
  if (authority.starts_with('[')) {
    const auto close = authority.find(']');
    if (close == std::string_view::npos) return std::nullopt;
    parts.bracketed = true;
    parts.host = authority.substr(1, close - 1);
    authority.remove_prefix(close + 1);
  } else {
    parts.host = authority.substr(0, authority.find(':'));
    authority.remove_prefix(parts.host.size());
  }
  if (authority.empty()) return parts;
  if (authority.front() != ':') return std::nullopt;
  parts.port = authority.substr(1);
  return parts;
}

bool IsHostName(std::string_view host) {
  return !host.empty() && std::ranges::all_of(host, [](unsigned char c) {
    return std::isalnum(c) || c == '.' || c == '-' || c == '_';
  });
}

}  // namespace

Result<Url> ParseHttpUrl(std::string_view text) {
  Url url;
  for (const std::string_view scheme : {"http", "https"}) {
    const std::size_t size = scheme.size();
    if (SameSpelling(text.substr(0, size), scheme) && text.substr(size).starts_with("://")) {
      url.scheme = scheme;
    }
  }
  if (url.scheme.empty()) return Bad("it begins with neither http:// nor https://");
  text.remove_prefix(url.scheme.size() + 3);
  if (text.find('@') != std::string_view::npos) return Bad("it holds user information");
  if (text.find_first_of("?#") != std::string_view::npos)
    return Bad("it holds a query or fragment");
  const auto slash = std::min(text.find('/'), text.size());
  url.authority = text.substr(0, slash);
  url.path = text.substr(slash);
  while (url.path.ends_with('/')) url.path.pop_back();
  const auto parts = Split(url.authority);
  if (!parts || (parts->port && !IsPort(*parts->port))) return Bad("its port cannot be read");
  const bool host_fits = parts->bracketed ? IsIp(AF_INET6, parts->host) : IsHostName(parts->host);
  if (!host_fits) return Bad("it has no host");
  return url;
}

std::string WithoutUser(std::string_view url) {
  const auto at = url.rfind('@');
  return at == std::string_view::npos ? std::string(url) : fmt::format("...{}", url.substr(at));
}

}  // namespace tidemark::lake

#include "store/s3_url.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace tidemark::store {

namespace {

constexpr std::string_view kUnreserved =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";

std::string Encode(std::string_view text, std::string_view also_kept) {
  std::string encoded;
  encoded.reserve(text.size() + 16);
  for (const char c : text) {
    if (kUnreserved.contains(c) || also_kept.contains(c)) {
      encoded += c;
    } else {
      encoded += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return encoded;
}

std::string CanonicalQuery(const Query& query) {
  Query encoded;
  for (const auto& [name, value] : query) encoded.emplace_back(Encode(name, ""), Encode(value, ""));
  std::ranges::sort(encoded);
  std::string text;
  for (const auto& [name, value] : encoded) {
    text += fmt::format("{}{}={}", text.empty() ? "" : "&", name, value);
  }
  return text;
}

bool IsPort(std::string_view text) {
  int port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc() && end == text.data() + text.size() && port >= 1 && port <= 65535;
}

std::unexpected<Error> BadEndpoint(std::string_view text, std::string_view why) {
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("`{}` {}; expected http(s)://host[:port]", text, why));
}

}  // namespace

Result<S3Endpoint> ParseS3Endpoint(std::string_view text) {
  S3Endpoint endpoint;
  std::string_view rest = text;
  for (const std::string_view scheme : {"http", "https"}) {
    if (text.starts_with(fmt::format("{}://", scheme))) endpoint.scheme = scheme;
  }
  if (endpoint.scheme.empty()) return BadEndpoint(text, "does not begin with http:// or https://");
  rest.remove_prefix(endpoint.scheme.size() + 3);
  if (rest.ends_with('/')) rest.remove_suffix(1);
  if (rest.find_first_of("/?#@ ") != std::string_view::npos) {
    return BadEndpoint(text, "has more than a host and a port");
  }
  // A bracketed IPv6 literal holds colons of its own.
  const std::size_t bracket = rest.starts_with('[') ? rest.find(']') : 0;
  if (bracket == std::string_view::npos) return BadEndpoint(text, "has an unclosed bracket");
  const std::size_t colon = rest.find(':', bracket);
  endpoint.host = rest.substr(0, colon);
  if (colon != std::string_view::npos) {
    endpoint.port = rest.substr(colon + 1);
    if (!IsPort(endpoint.port)) return BadEndpoint(text, "has a port that is not in 1..65535");
  }
  if (endpoint.host.empty() || endpoint.host == "[]") return BadEndpoint(text, "has no host");
  if (bracket > 0 && bracket + 1 != endpoint.host.size()) {
    return BadEndpoint(text, "has text behind the bracket");
  }
  return endpoint;
}

bool IsIpLiteral(const S3Endpoint& endpoint) {
  return endpoint.host.starts_with('[') ||
         endpoint.host.find_first_not_of("0123456789.") == std::string::npos;
}

S3Target TargetOf(const S3Endpoint& endpoint,
                  std::string_view bucket,
                  bool path_style,
                  std::string_view key,
                  const Query& query) {
  S3Target target;
  target.host = path_style ? endpoint.host : fmt::format("{}.{}", bucket, endpoint.host);
  if (!endpoint.port.empty()) target.host += ":" + endpoint.port;
  if (path_style) target.path = "/" + Encode(bucket, "");
  if (!path_style || !key.empty()) target.path += "/" + Encode(key, "/");
  target.query = CanonicalQuery(query);
  target.url = fmt::format("{}://{}{}", endpoint.scheme, target.host, target.path);
  if (!target.query.empty()) target.url += "?" + target.query;
  return target;
}

}  // namespace tidemark::store

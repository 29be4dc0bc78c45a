#include "store/sigv4.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/digest.h"

namespace tidemark::store {

namespace {

std::string Hmac(std::string_view key, std::string_view text) {
  const Sha256Digest digest = HmacSha256(key, text);
  return {digest.begin(), digest.end()};
}

}  // namespace

std::string AmzDate(Micros now) {
  std::string date;
  for (const char c : FormatIso(now).substr(0, 19)) {
    if (c != '-' && c != ':') date += c;
  }
  return date + 'Z';
}

std::string Authorization(const RequestToSign& request,
                          const Credentials& credentials,
                          std::string_view region,
                          std::string_view amz_date) {
  auto headers = request.headers;
  std::ranges::sort(headers);
  std::string canonical_headers;
  std::string names;
  for (const auto& [name, value] : headers) {
    canonical_headers += fmt::format("{}:{}\n", name, value);
    names += (names.empty() ? "" : ";") + name;
  }
  const std::string canonical = fmt::format("{}\n{}\n{}\n{}\n{}\n{}",
                                            request.method,
                                            request.path,
                                            request.query,
                                            canonical_headers,
                                            names,
                                            request.payload_sha256);
  const std::string_view day = amz_date.substr(0, 8);
  const std::string scope = fmt::format("{}/{}/s3/aws4_request", day, region);
  const std::string to_sign =
      fmt::format("AWS4-HMAC-SHA256\n{}\n{}\n{}", amz_date, scope, ToHex(Sha256Of(canonical)));

  const std::string day_key = Hmac("AWS4" + credentials.secret_key, day);
  const std::string key = Hmac(Hmac(Hmac(day_key, region), "s3"), "aws4_request");
  return fmt::format("AWS4-HMAC-SHA256 Credential={}/{},SignedHeaders={},Signature={}",
                     credentials.access_key,
                     scope,
                     names,
                     ToHex(HmacSha256(key, to_sign)));
}

}  // namespace tidemark::store

#pragma once
// Where a request to an S3 endpoint goes: URL, Host header and the canonical path and query that
// are signed (queen-interface 11.2). Pure.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace tidemark::store {

struct S3Endpoint {
  std::string scheme;     // "http", "https"
  std::string host;       // an IPv6 literal in brackets
  std::string port = {};  // empty: the scheme's
};

// `http(s)://host[:port]`, one trailing slash tolerated. kInvalidArgument says what is wrong with
// it.
Result<S3Endpoint> ParseS3Endpoint(std::string_view text);

// True for 10.0.0.1 and [::1]: no bucket can be put in front of such a host.
bool IsIpLiteral(const S3Endpoint& endpoint);

struct S3Target {
  std::string url;
  std::string host;   // value of the Host header
  std::string path;   // canonical URI, as it travels
  std::string query;  // canonical query string, as it travels
};

using Query = std::vector<std::pair<std::string, std::string>>;

// `key` empty: the bucket itself.
S3Target TargetOf(const S3Endpoint& endpoint,
                  std::string_view bucket,
                  bool path_style,
                  std::string_view key,
                  const Query& query);

}  // namespace tidemark::store

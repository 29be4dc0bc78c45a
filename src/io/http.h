#pragma once
// HTTP as values: what a client sends and gets. The client is an interface, so that tests can
// answer late, twice, never or wrongly; CurlHttpClient (io/curl_http_client.h) is the real one.

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "io/loop.h"
#include "io/task.h"

namespace tidemark::io {

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

struct HttpRequest {
  std::string method = "GET";
  std::string url;  // absolute, already percent-encoded; sent as it is
  HttpHeaders headers;
  // Shared, so that a retry costs no copy. Null: no body. Sent with Content-Length, never chunked.
  std::shared_ptr<const std::string> body;

  Duration connect_timeout = std::chrono::seconds(5);
  Duration timeout = std::chrono::seconds(30);  // the whole exchange
  // A larger answer is cut off and fails with kExhausted: a bound on memory, not a suggestion.
  std::uint64_t max_response_bytes = std::uint64_t{80} << 20;
  // Capacity left behind the body's end, for parsers that read past it (simdjson).
  std::size_t response_padding = 0;
  std::string ca_file;  // empty: the system's
};

struct HttpResponse {
  int status = 0;
  HttpHeaders headers;  // names in lower case
  std::string body;

  // The first header of that (lower-case) name; empty when absent.
  std::string_view Header(std::string_view name) const;
};

class HttpClient {
 public:
  virtual ~HttpClient() = default;

  // Any status is a value. Errors: kUnavailable when nothing of the request can have been acted on
  // (no connection), kOutcomeUnknown when it may have been (reset, time-out, unreadable answer),
  // kExhausted above max_response_bytes, kCancelled when the client is being destroyed.
  virtual Task<Result<HttpResponse>> Send(HttpRequest request) = 0;
};

// Whole seconds of a Retry-After header as milliseconds; -1 when absent, negative, or a date
// (queen-interface 1.0).
std::int64_t RetryAfterMs(const HttpResponse& response);

}  // namespace tidemark::io

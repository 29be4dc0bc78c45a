#pragma once
// The real HttpClient, on libcurl: HTTP/1.1, kept-alive connections, no redirects, no proxy from
// the environment, and no header but the request's own, Host and Content-Length (what is signed is
// what is sent).

#include <memory>

#include "io/http.h"

namespace tidemark::io {

// One thread moves the bytes of all exchanges; their ends are posted to `loop`, which outlives
// this.
class CurlHttpClient final : public HttpClient {
 public:
  explicit CurlHttpClient(Loop& loop);
  // Cuts off what is under way; those calls end with kCancelled.
  ~CurlHttpClient() override;

  // Also kInvalidArgument: a URL that is none, a header with a line break. When a kept connection
  // turns out dead before the first byte of an answer, curl sends the request once more by itself:
  // the one answer may be that of a second try.
  Task<Result<HttpResponse>> Send(HttpRequest request) override;

 private:
  class Engine;
  std::unique_ptr<Engine> engine_;
};

}  // namespace tidemark::io

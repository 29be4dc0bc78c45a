#pragma once
// An HTTP/1.1 server: one I/O thread serves every connection, so a request that waits for its
// answer (a long poll) costs a connection and no thread. Knows nothing of routes or credentials;
// those are the handler's.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "io/http.h"
#include "io/loop.h"

namespace tidemark::io {

class TlsIdentity;

// Why a client was left without an answer.
enum class HttpCut {
  kHandshake,  // TLS did not come about: an old version, a certificate it does not trust, a
               // time-out
  kTimeout,    // its request was not whole after request_timeout
  kGone,       // it went in the middle of its request
};

// `handshake`, `timeout`, `gone`.
std::string_view ToString(HttpCut cut);

struct HttpServerOptions {
  std::string host = "127.0.0.1";  // an address, not a name
  std::uint16_t port = 0;          // 0: any free one, see port()
  // With it, only TLS is served; what begins otherwise is answered 400 and closed. Null: no TLS.
  std::shared_ptr<const TlsIdentity> tls = nullptr;  // shared: with connections that outlive it
  // A larger body, chunked or not, is answered 413 and its connection closed; it is never held
  // whole.
  std::uint64_t body_bytes_max = std::uint64_t{64} << 20;
  // Of the bodies of all connections together, from their first byte until they are answered. What
  // does not fit is answered 503 with Retry-After, and its connection closed. 0: no limit.
  std::uint64_t bodies_bytes_max = 0;
  std::uint32_t header_bytes_max = 16 << 10;
  // Further connections wait in the backlog of the operating system until one ends.
  std::size_t connections_max = 8192;
  int backlog = 1024;
  // Told of each request that was answered without the handler, on the I/O thread: 400, 413, 431,
  // 503.
  std::function<void(int status)> on_refused = [](int) {};
  // Told of each client that was left without an answer, on the I/O thread. One that ends a
  // connection between requests, or says nothing at all before it does, is none.
  std::function<void(HttpCut cut)> on_cut = [](HttpCut) {};
  Duration idle_timeout = std::chrono::seconds(75);  // between requests of one connection
  // From a request's first byte to its last; under TLS, also from the connection's begin to the
  // end of the handshake.
  Duration request_timeout = std::chrono::seconds(60);
  Duration response_timeout = std::chrono::seconds(120);  // for the peer to take an answer
  Duration drain_timeout = std::chrono::seconds(10);  // for answers still owed when Stop is called
};

struct HttpServerRequest {
  std::string method;
  std::string path;     // before '?', as sent (percent escapes kept)
  std::string query;    // after '?', or empty
  HttpHeaders headers;  // names in lower case
  std::string body;

  // The first header of that (lower-case) name; empty when absent.
  std::string_view Header(std::string_view name) const;
};

struct HttpServerResponse {
  int status = 200;
  HttpHeaders headers;  // Content-Length and Connection are added
  std::string body;
};

// The right to answer one request, once, from any thread. Destroyed unused it answers 500, so that
// no client is left waiting by a bug. Outlives the server harmlessly: the answer then goes nowhere.
class HttpResponder {
 public:
  class Sink {
   public:
    virtual ~Sink() = default;
    virtual void Answer(HttpServerResponse response) = 0;
  };

  explicit HttpResponder(std::shared_ptr<Sink> sink) : sink_(std::move(sink)) {}

  HttpResponder(HttpResponder&&) = default;
  HttpResponder& operator=(HttpResponder&&) = delete;
  ~HttpResponder();

  void Send(HttpServerResponse response);

 private:
  std::shared_ptr<Sink> sink_;
};

// Called on the I/O thread with a whole request: must not block, hands slow work on.
using HttpHandler = std::function<void(HttpServerRequest request, HttpResponder responder)>;

class HttpServer {
 public:
  virtual ~HttpServer() = default;

  virtual std::uint16_t port() const = 0;

  // Takes no new connection, closes the idle ones, waits up to drain_timeout for the answers still
  // owed, then closes the rest and ends the I/O thread. Any thread but the I/O thread; later calls
  // do nothing. Destruction calls it.
  virtual void Stop() = 0;
};

// Listens and serves until Stop. kInvalidArgument: the address does not parse; kUnavailable: it
// cannot be listened on.
Result<std::unique_ptr<HttpServer>> StartHttpServer(HttpServerOptions options, HttpHandler handler);

}  // namespace tidemark::io

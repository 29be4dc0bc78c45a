#pragma once
// Takes in events over HTTP: POST /v1/events/<topic...>, one event or, with the content type
// application/x-ndjson, one a line; as it is or compressed (gzip, zstd). 202 means that all of the
// request is on disk; every other answer that nothing of it was acknowledged.

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "edge/source/http_events.h"
#include "edge/wal/wal.h"
#include "io/async.h"
#include "io/http_server.h"
#include "io/worker_pool.h"

namespace tidemark::edge {

struct HttpSourceOptions {
  std::string id = {};
  // Its body_bytes_max bounds a body as it was sent, compressed or not.
  io::HttpServerOptions http = {};
  // What callers must send as `Authorization: Bearer <token>`; may be empty on a loopback address
  // only.
  std::string token = {};
  EventLimits limits = {};
  // Of all requests whose answer is owed; above it a request is answered 503.
  std::int64_t inflight_bytes_max = 64 << 20;
};

struct HttpSourceCounters {
  std::uint64_t requests = 0;
  std::uint64_t records = 0;
  std::uint64_t bytes = 0;     // of payloads
  std::uint64_t refused = 0;   // 4xx
  std::uint64_t withheld = 0;  // 503
};

// Belongs to the loop's thread; requests are read on the server's own, decompressed on `pool`.
// Everything borrowed outlives it.
class HttpSource {
 public:
  // kInvalidArgument: no token on an address that is not loopback; else as io::StartHttpServer.
  static Result<std::unique_ptr<HttpSource>> Start(HttpSourceOptions options,
                                                   Wal& wal,
                                                   io::Loop& loop,
                                                   io::WorkerPool& pool);

  std::uint16_t port() const { return server_->port(); }

  // Takes no more requests and answers those under way. To be awaited once before destruction,
  // before the log is closed.
  io::Task<void> Stop();

  const HttpSourceCounters& counters() const { return counters_; }

 private:
  HttpSource(HttpSourceOptions options, Wal& wal, io::Loop& loop, io::WorkerPool& pool);

  // Once for each request, on the loop.
  io::Task<void> Take(io::HttpServerRequest request, io::HttpResponder responder);
  io::Task<io::HttpServerResponse> Answer(io::HttpServerRequest& request);
  io::Task<io::HttpServerResponse> Append(const Events& events, const std::string& topic);

  const HttpSourceOptions options_;
  Wal& wal_;
  io::Loop& loop_;
  io::WorkerPool& pool_;
  io::TaskGroup requests_;
  std::int64_t inflight_bytes_ = 0;
  HttpSourceCounters counters_;
  std::unique_ptr<io::HttpServer> server_;  // last: its handler uses all of the above
};

}  // namespace tidemark::edge

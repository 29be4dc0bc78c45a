#pragma once
// Takes in events over HTTP: POST /v1/events/<topic...>, one event or, with the content type
// application/x-ndjson, one a line; as it is or compressed (gzip, zstd). 202 means that all of the
// request is on disk; every other answer that nothing of it was acknowledged. A request with an
// Idempotency-Key is taken once, however often it is sent.

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "edge/source/http_events.h"
#include "edge/source/idempotency_ledger.h"
#include "edge/source/source.h"
#include "edge/wal/wal.h"
#include "io/async.h"
#include "io/http_server.h"
#include "io/worker_pool.h"

namespace tidemark::edge {

struct HttpSourceOptions {
  std::string id = {};
  // Its body_bytes_max bounds a body as it was sent, compressed or not; bodies_bytes_max all that
  // are being read or answered.
  io::HttpServerOptions http = {};
  // What callers must send as `Authorization: Bearer <token>`; may be empty on a loopback address
  // only.
  std::string token = {};
  EventLimits limits = {};
  // What decompressed bodies and events take beside the bodies as they were sent, until they are
  // answered; above it a request is answered 503. At least what one request may take.
  std::int64_t inflight_bytes_max = 80 << 20;
  // Keys known at one time.
  std::size_t idempotency_keys_max = 32'768;
};

// What an event takes in memory beside its bytes, from the request to the disk.
inline constexpr std::int64_t kEventBytes = 200;

// Requests are read on the server's own thread, decompressed on `pool`. Everything borrowed
// outlives it.
class HttpSource final : public Source {
 public:
  HttpSource(HttpSourceOptions options,
             Wal& wal,
             const io::Clock& clock,
             io::Loop& loop,
             io::WorkerPool& pool);

  // Listens, serves until `stop`, answers what is under way.
  io::Task<Status> Run(std::stop_token stop) override;

  SourceCounters counters() const override { return counters_; }

  // The halves of Run. kInvalidArgument: no token on an address that is not loopback; else as
  // io::StartHttpServer.
  Status Listen();
  // Takes no more requests and answers those under way. To be awaited once after Listen, before the
  // log is closed.
  io::Task<void> Stop();

  std::uint16_t port() const { return server_->port(); }

  // What the server answers to the request; between Listen and Stop, or without a server at all.
  io::Task<io::HttpServerResponse> Answer(io::HttpServerRequest& request);

 private:
  struct Content {
    std::string topic;
    Events events;
    std::string hash;  // with an Idempotency-Key only
  };

  // Once for each request, on the loop.
  io::Task<void> Take(io::HttpServerRequest request, io::HttpResponder responder);
  io::Task<Result<Content>> Read(io::HttpServerRequest& request);
  io::Task<io::HttpServerResponse> TakeOnce(const Content& content, std::string_view key);
  io::Task<io::HttpServerResponse> Append(const Content& content, std::string_view token);

  const HttpSourceOptions options_;
  Wal& wal_;
  const io::Clock& clock_;
  io::Loop& loop_;
  io::WorkerPool& pool_;
  IdempotencyLedger ledger_;
  io::AsyncMutex decompressing_;  // one at a time: nobody knows what comes out before it is there
  io::TaskGroup requests_;
  std::int64_t inflight_bytes_ = 0;
  SourceCounters counters_;
  std::unique_ptr<io::HttpServer> server_;  // last: its handler uses all of the above
};

}  // namespace tidemark::edge

#pragma once
// GET /metrics, GET /healthz and the status page at / of a pipeline, from before it is opened.

#include <memory>

#include "base/result.h"
#include "edge/pipeline.h"
#include "edge/status_page.h"
#include "io/http_server.h"
#include "io/socket_address.h"
#include "obs/metrics.h"

namespace tidemark::edge {

// Listens until destroyed. Requests are answered on the loop, where the pipeline's state belongs.
// Everything borrowed outlives it and, unless it never ran, the loop.
class StatusEndpoints {
 public:
  // Until Serve, every request is answered 503 `{"ok":false,"reason":"starting"}`, so that a long
  // recovery is seen to be one. Errors as io::StartHttpServer.
  static Result<std::unique_ptr<StatusEndpoints>> Listen(const io::SocketAddress& address,
                                                         io::Loop& loop,
                                                         obs::Metrics& metrics,
                                                         PageFacts facts);

  // Once; `pipeline` lives until Stop.
  void Serve(const Pipeline& pipeline);

  // As io::HttpServer.
  void Stop() { server_->Stop(); }

  std::uint16_t port() const { return server_->port(); }

 private:
  struct Shared;

  StatusEndpoints() = default;

  std::shared_ptr<Shared> shared_;  // with requests on their way through the loop
  std::unique_ptr<io::HttpServer> server_;
};

}  // namespace tidemark::edge

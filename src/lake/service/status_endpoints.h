#pragma once
// GET /metrics and GET /healthz of a running lake (queen-interface 13), and its status page at /.

#include <memory>

#include "base/result.h"
#include "io/http_server.h"
#include "io/socket_address.h"
#include "lake/service/status_board.h"
#include "obs/health.h"
#include "obs/metrics.h"

namespace tidemark::lake {

// Serves until destroyed. Everything borrowed outlives it. Errors as io::StartHttpServer.
Result<std::unique_ptr<io::HttpServer>> StartStatusEndpoints(const io::SocketAddress& listen,
                                                             const obs::Metrics& metrics,
                                                             const obs::Health& health,
                                                             const StatusBoard& board);

}  // namespace tidemark::lake

#pragma once
// GET /metrics and GET /healthz of a running lake (queen-interface 13).

#include <memory>
#include <string>

#include "base/result.h"
#include "io/http_server.h"
#include "obs/health.h"
#include "obs/metrics.h"

namespace tidemark::lake {

// Serves until destroyed. `metrics` and `health` outlive it. Errors as io::StartHttpServer.
Result<std::unique_ptr<io::HttpServer>> StartStatusEndpoints(const std::string& host,
                                                             std::uint16_t port,
                                                             const obs::Metrics& metrics,
                                                             const obs::Health& health);

}  // namespace tidemark::lake

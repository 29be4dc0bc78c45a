#pragma once
// GET /metrics, GET /healthz and the status page at / of a running pipeline.

#include <memory>

#include "base/result.h"
#include "edge/pipeline.h"
#include "edge/status_page.h"
#include "io/http_server.h"
#include "io/socket_address.h"
#include "obs/metrics.h"

namespace tidemark::edge {

// Serves until destroyed; requests are answered on the loop, where the pipeline's state belongs.
// Everything borrowed outlives it and, unless it never ran, the loop. Errors as
// io::StartHttpServer.
Result<std::unique_ptr<io::HttpServer>> StartStatusEndpoints(const io::SocketAddress& listen,
                                                             io::Loop& loop,
                                                             const Pipeline& pipeline,
                                                             obs::Metrics& metrics,
                                                             PageFacts facts);

}  // namespace tidemark::edge

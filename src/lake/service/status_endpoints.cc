#include "lake/service/status_endpoints.h"

#include <utility>

#include "lake/service/status_page.h"
#include "obs/page.h"

namespace tidemark::lake {

namespace {

io::HttpServerResponse Answer(const io::HttpServerRequest& request,
                              const obs::Metrics& metrics,
                              const obs::Health& health,
                              const StatusBoard& board) {
  if (request.method != "GET" && request.method != "HEAD") {
    return {.status = 405, .headers = {{"Allow", "GET, HEAD"}}, .body = ""};
  }
  if (request.path == "/metrics") {
    return {.status = 200,
            .headers = {{"Content-Type", std::string(obs::kMetricsContentType)}},
            .body = metrics.Render()};
  }
  if (request.path == "/healthz") {
    auto checked = health.Check();
    return {.status = checked.status,
            .headers = {{"Content-Type", "application/json"}},
            .body = std::move(checked.body)};
  }
  if (request.path == "/") {
    return {
        .status = 200, .headers = obs::PageHeaders(), .body = RenderStatusPage(board.Snapshot())};
  }
  return {.status = 404,
          .headers = {{"Content-Type", "text/plain"}},
          .body = "here are /, /metrics and /healthz\n"};
}

}  // namespace

Result<std::unique_ptr<io::HttpServer>> StartStatusEndpoints(const io::SocketAddress& listen,
                                                             const obs::Metrics& metrics,
                                                             const obs::Health& health,
                                                             const StatusBoard& board) {
  io::HttpServerOptions options;
  options.host = listen.host;
  options.port = listen.port;
  return io::StartHttpServer(std::move(options),
                             [&metrics, &health, &board](const io::HttpServerRequest& request,
                                                         io::HttpResponder responder) {
                               responder.Send(Answer(request, metrics, health, board));
                             });
}

}  // namespace tidemark::lake

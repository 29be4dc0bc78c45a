#include "edge/status_endpoints.h"

#include <utility>

#include "edge/status_metrics.h"
#include "obs/page.h"

namespace tidemark::edge {

namespace {

io::HttpServerResponse AnswerOf(const io::HttpServerRequest& request,
                                const Pipeline& pipeline,
                                obs::Metrics& metrics,
                                const PageFacts& facts) {
  if (request.method != "GET" && request.method != "HEAD") {
    return {.status = 405, .headers = {{"Allow", "GET, HEAD"}}, .body = ""};
  }
  const PipelineStatus status = pipeline.status();
  const std::string stuck = pipeline.health().Stuck(status);
  if (request.path == "/metrics") {
    ReportStatus(status, stuck.empty(), metrics);
    return {.status = 200,
            .headers = {{"Content-Type", std::string(obs::kMetricsContentType)}},
            .body = metrics.Render()};
  }
  if (request.path == "/healthz") {
    obs::HealthAnswer health = pipeline.health().Check(status);
    return {.status = health.status,
            .headers = {{"Content-Type", "application/json"}},
            .body = std::move(health.body)};
  }
  if (request.path == "/") {
    return {.status = 200,
            .headers = obs::PageHeaders(),
            .body = RenderStatusPage(status, facts, stuck)};
  }
  return {.status = 404,
          .headers = {{"Content-Type", "text/plain"}},
          .body = "here are /, /metrics and /healthz\n"};
}

}  // namespace

Result<std::unique_ptr<io::HttpServer>> StartStatusEndpoints(const io::SocketAddress& listen,
                                                             io::Loop& loop,
                                                             const Pipeline& pipeline,
                                                             obs::Metrics& metrics,
                                                             PageFacts facts) {
  io::HttpServerOptions options;
  options.host = listen.host;
  options.port = listen.port;
  // Shared: requests on their way through the loop may outlive the server.
  const auto shared = std::make_shared<const PageFacts>(std::move(facts));
  return io::StartHttpServer(std::move(options),
                             [&loop, &pipeline, &metrics, shared](io::HttpServerRequest request,
                                                                  io::HttpResponder responder) {
                               loop.Post([&pipeline,
                                          &metrics,
                                          shared,
                                          request = std::move(request),
                                          responder = std::move(responder)]() mutable {
                                 responder.Send(AnswerOf(request, pipeline, metrics, *shared));
                               });
                             });
}

}  // namespace tidemark::edge

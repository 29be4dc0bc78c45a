#include "edge/status_endpoints.h"

#include <atomic>
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

io::HttpServerResponse Starting() {
  return {.status = 503,
          .headers = {{"Content-Type", "application/json"}},
          .body = R"({"ok":false,"reason":"starting"})"};
}

}  // namespace

struct StatusEndpoints::Shared {
  io::Loop& loop;
  obs::Metrics& metrics;
  const PageFacts facts;
  std::atomic<const Pipeline*> pipeline = nullptr;
};

Result<std::unique_ptr<StatusEndpoints>> StatusEndpoints::Listen(const io::SocketAddress& address,
                                                                 io::Loop& loop,
                                                                 obs::Metrics& metrics,
                                                                 PageFacts facts) {
  const auto shared = std::make_shared<Shared>(loop, metrics, std::move(facts));
  const auto handle = [shared](io::HttpServerRequest request, io::HttpResponder responder) {
    const Pipeline* const pipeline = shared->pipeline;
    if (pipeline == nullptr) return responder.Send(Starting());
    shared->loop.Post([shared,
                       pipeline,
                       request = std::move(request),
                       responder = std::move(responder)]() mutable {
      responder.Send(AnswerOf(request, *pipeline, shared->metrics, shared->facts));
    });
  };
  std::unique_ptr<StatusEndpoints> endpoints(new StatusEndpoints);
  endpoints->shared_ = shared;
  io::HttpServerOptions options;
  options.host = address.host;
  options.port = address.port;
  TIDEMARK_TRY(endpoints->server_, io::StartHttpServer(std::move(options), handle));
  return endpoints;
}

void StatusEndpoints::Serve(const Pipeline& pipeline) { shared_->pipeline = &pipeline; }

}  // namespace tidemark::edge

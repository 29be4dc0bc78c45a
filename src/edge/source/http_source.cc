#include "edge/source/http_source.h"

#include <fmt/format.h>

#include "format/json_text.h"
#include "io/http_text.h"

namespace tidemark::edge {

namespace {

constexpr std::int64_t kRetryAfterMs = 1'000;

bool IsLoopback(std::string_view host) { return host.starts_with("127.") || host == "::1"; }

io::HttpServerResponse Json(int status, std::string body) {
  return {
      .status = status, .headers = {{"Content-Type", "application/json"}}, .body = std::move(body)};
}

io::HttpServerResponse Refusal(int status, std::string_view message) {
  std::string body = R"({"error":)";
  format::AppendJsonString(message, body);
  body += '}';
  return Json(status, std::move(body));
}

io::HttpServerResponse Busy(std::string_view message, std::int64_t retry_after_ms) {
  auto response = Refusal(503, message);
  const std::int64_t ms = retry_after_ms > 0 ? retry_after_ms : kRetryAfterMs;
  response.headers.emplace_back("Retry-After", fmt::format("{}", (ms + 999) / 1000));
  return response;
}

// The path, method and credentials; nullopt: it may be looked at.
std::optional<io::HttpServerResponse> RefusalOf(const io::HttpServerRequest& request,
                                                const std::string& token) {
  if (!request.path.starts_with(kEventsPath)) {
    return Refusal(404, "POST events to /v1/events/<topic>");
  }
  if (request.method != "POST") {
    auto response = Refusal(405, fmt::format("{} is not served here, POST is", request.method));
    response.headers.emplace_back("Allow", "POST");
    return response;
  }
  if (!token.empty() && !io::HasBearerToken(request, token)) {
    auto response = Refusal(401, "the token is missing or wrong: Authorization: Bearer <token>");
    response.headers.emplace_back("WWW-Authenticate", "Bearer");
    return response;
  }
  // A promise that is not kept yet must not be taken for one that is.
  if (!request.Header("idempotency-key").empty()) {
    return Refusal(501, "Idempotency-Key is not supported: send the events without it");
  }
  return std::nullopt;
}

}  // namespace

HttpSource::HttpSource(HttpSourceOptions options, Wal& wal, io::Loop& loop, io::WorkerPool& pool)
    : options_(std::move(options)), wal_(wal), loop_(loop), pool_(pool), requests_(loop) {}

Result<std::unique_ptr<HttpSource>> HttpSource::Start(HttpSourceOptions options,
                                                      Wal& wal,
                                                      io::Loop& loop,
                                                      io::WorkerPool& pool) {
  if (options.token.empty() && !IsLoopback(options.http.host)) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("source {}: listening on {} needs a token_file; only loopback does not",
                            options.id,
                            options.http.host));
  }
  std::unique_ptr<HttpSource> source(new HttpSource(std::move(options), wal, loop, pool));
  const auto handle = [self = source.get()](io::HttpServerRequest request,
                                            io::HttpResponder responder) {
    self->loop_.Post(
        [self, request = std::move(request), responder = std::move(responder)]() mutable {
          self->requests_.Add(self->Take(std::move(request), std::move(responder)));
        });
  };
  TIDEMARK_TRY(source->server_, io::StartHttpServer(source->options_.http, handle));
  return source;
}

io::Task<void> HttpSource::Stop() {
  // Waits for answers that come from the loop and the pool: on neither of them.
  const auto stopper = io::NewWorkerPool(1);
  const auto stop = [this] {
    server_->Stop();
    return true;
  };
  co_await io::RunOn(loop_, *stopper, stop);
  co_await requests_.Join();
}

io::Task<void> HttpSource::Take(io::HttpServerRequest request, io::HttpResponder responder) {
  ++counters_.requests;
  const auto size = static_cast<std::int64_t>(request.body.size());
  inflight_bytes_ += size;
  auto response = co_await Answer(request);
  inflight_bytes_ -= size;
  if (response.status == 503) ++counters_.withheld;
  if (response.status / 100 == 4) ++counters_.refused;
  responder.Send(std::move(response));
}

io::Task<io::HttpServerResponse> HttpSource::Answer(io::HttpServerRequest& request) {
  if (auto refusal = RefusalOf(request, options_.token)) co_return std::move(*refusal);
  if (inflight_bytes_ > options_.inflight_bytes_max) {
    co_return Busy("too many requests are under way", kRetryAfterMs);
  }
  const auto topic = TopicOfPath(request.path);
  if (!topic) co_return Refusal(topic.error().status, topic.error().message);
  const auto read = [&] { return ReadEvents(request, options_.limits); };
  const auto events = co_await io::RunOn(loop_, pool_, read);
  if (!events) co_return Refusal(events.error().status, events.error().message);
  co_return co_await Append(*events, *topic);
}

io::Task<io::HttpServerResponse> HttpSource::Append(const Events& events,
                                                    const std::string& topic) {
  std::vector<WalInput> inputs;
  inputs.reserve(events.payloads.size());
  for (const std::string_view payload : events.payloads) {
    inputs.push_back(
        {.source = options_.id, .topic = topic, .token = {}, .payload = payload, .full_bytes = 0});
  }
  const auto taken = co_await wal_.Append(inputs);
  if (!taken) {
    if (taken.error().code == ErrorCode::kInvalidArgument) {
      co_return Refusal(413, taken.error().message);
    }
    co_return Busy(taken.error().message, taken.error().retry_after_ms);
  }
  counters_.records += inputs.size();
  for (const std::string_view payload : events.payloads) counters_.bytes += payload.size();
  co_return Json(202, fmt::format(R"({{"accepted":{}}})", inputs.size()));
}

}  // namespace tidemark::edge

#include "edge/source/http_source.h"

#include <fmt/format.h>

#include <algorithm>

#include "format/json_text.h"
#include "io/http_text.h"
#include "io/socket_address.h"

namespace tidemark::edge {

namespace {

constexpr std::int64_t kRetryAfterMs = 1'000;
constexpr std::string_view kKeyHeader = "idempotency-key";
constexpr std::size_t kKeyBytesMax = 255;

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

io::HttpServerResponse Busy(int status, std::string_view message, std::int64_t retry_after_ms) {
  auto response = Refusal(status, message);
  const std::int64_t ms = retry_after_ms > 0 ? retry_after_ms : kRetryAfterMs;
  response.headers.emplace_back("Retry-After", fmt::format("{}", (ms + 999) / 1000));
  return response;
}

// Of an append that failed. 503 promises that nothing was taken; where that is not known, it is not
// said.
io::HttpServerResponse NotTaken(const Error& error) {
  switch (error.code) {
    case ErrorCode::kInvalidArgument:
      return Refusal(413, error.message);
    case ErrorCode::kOutcomeUnknown:
      return Refusal(
          500,
          fmt::format("whether these events were taken is not known before a restart: {}",
                      error.message));
    default:
      return Busy(503, error.message, error.retry_after_ms);
  }
}

std::int64_t MemoryOf(const Events& events) {
  const auto copied = events.decompressed ? events.body->size() : 0;
  return static_cast<std::int64_t>(copied) +
         kEventBytes * static_cast<std::int64_t>(events.payloads.size());
}

// A client that means to send a key and sends none must not have its events taken twice.
bool HasAtMostOneKey(const io::HttpServerRequest& request) {
  const auto is_key = [](const auto& header) { return header.first == kKeyHeader; };
  const auto key = std::ranges::find_if(request.headers, is_key);
  if (key == request.headers.end()) return true;
  return !key->second.empty() && key->second.size() <= kKeyBytesMax &&
         std::ranges::count_if(request.headers, is_key) == 1;
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
  if (!HasAtMostOneKey(request)) {
    return Refusal(
        400, fmt::format("an Idempotency-Key comes once and has 1 to {} characters", kKeyBytesMax));
  }
  return std::nullopt;
}

}  // namespace

HttpSource::HttpSource(HttpSourceOptions options,
                       Wal& wal,
                       const io::Clock& clock,
                       io::Loop& loop,
                       io::WorkerPool& pool)
    : options_(std::move(options)),
      wal_(wal),
      clock_(clock),
      loop_(loop),
      pool_(pool),
      ledger_(options_.id, options_.idempotency_keys_max, wal),
      decompressing_(loop),
      requests_(loop) {}

Status HttpSource::Listen() {
  const io::SocketAddress address{.host = options_.http.host, .port = options_.http.port};
  if (options_.token.empty() && !address.IsLoopback()) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("listening on {} needs a token_file; only loopback does not",
                            options_.http.host));
  }
  const auto handle = [this](io::HttpServerRequest request, io::HttpResponder responder) {
    loop_.Post([this, request = std::move(request), responder = std::move(responder)]() mutable {
      requests_.Add(Take(std::move(request), std::move(responder)));
    });
  };
  io::HttpServerOptions http = options_.http;
  http.on_refused = [this](int status) {
    loop_.Post([this, status] { ++counters_.answers[status]; });
  };
  http.on_cut = [this](io::HttpCut cut) {
    loop_.Post([this, cut] { ++counters_.cut[std::string(io::ToString(cut))]; });
  };
  TIDEMARK_TRY(server_, io::StartHttpServer(std::move(http), handle));
  return {};
}

io::Task<Status> HttpSource::Run(std::stop_token stop) {
  if (Status listening = Listen(); !listening) {
    co_return Annotate(std::move(listening.error()), "source " + options_.id);
  }
  constexpr io::Duration kLong = std::chrono::hours(1);
  while (!stop.stop_requested()) co_await io::Sleep(loop_, kLong, stop);
  co_await Stop();
  co_return Status();
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
  auto response = co_await Answer(request);
  ++counters_.answers[response.status];
  responder.Send(std::move(response));
}

io::Task<io::HttpServerResponse> HttpSource::Answer(io::HttpServerRequest& request) {
  if (auto refusal = RefusalOf(request, options_.token)) co_return std::move(*refusal);
  const auto content = co_await Read(request);
  if (!content) co_return Refusal(content.error().status, content.error().message);
  const std::int64_t cost = MemoryOf(content->events);
  if (inflight_bytes_ + cost > options_.inflight_bytes_max) {
    co_return Busy(503, "too many requests are under way", kRetryAfterMs);
  }
  inflight_bytes_ += cost;
  auto response = co_await TakeOnce(*content, request.Header(kKeyHeader));
  inflight_bytes_ -= cost;
  co_return response;
}

io::Task<Result<HttpSource::Content>> HttpSource::Read(io::HttpServerRequest& request) {
  const auto read = [&]() -> Result<Content> {
    Content content;
    TIDEMARK_TRY(content.topic, TopicOfPath(request.path));
    TIDEMARK_TRY(content.events, ReadEvents(request, options_.limits));
    const bool keyed = !request.Header(kKeyHeader).empty();
    if (keyed) content.hash = ContentHash(content.events, content.topic);
    return content;
  };
  if (!IsCompressed(request)) co_return co_await io::RunOn(loop_, pool_, read);
  const auto turn = co_await decompressing_.Lock();
  co_return co_await io::RunOn(loop_, pool_, read);
}

io::Task<io::HttpServerResponse> HttpSource::TakeOnce(const Content& content,
                                                      std::string_view key) {
  using State = IdempotencyLedger::State;
  if (key.empty()) co_return co_await Append(content, "");
  const Micros now = clock_.Now();
  const auto known = ledger_.Look(key, content.hash, now);
  switch (known.state) {
    case State::kTaken:
      co_return Json(202, fmt::format(R"({{"accepted":{},"repeated":true}})", known.events));
    case State::kTakenWithOtherContent:
      co_return Refusal(422, "this Idempotency-Key came with other events before");
    case State::kUnderWay:
      co_return Busy(409, "a request of this Idempotency-Key is under way", kRetryAfterMs);
    case State::kNew:
      break;
  }
  const std::size_t events = content.events.payloads.size();
  const std::string token = ledger_.Begin(key, content.hash, events, now);
  auto response = co_await Append(content, token);
  ledger_.End(key, token, response.status == 202);
  co_return response;
}

io::Task<io::HttpServerResponse> HttpSource::Append(const Content& content,
                                                    std::string_view token) {
  std::vector<WalInput> inputs;
  inputs.reserve(content.events.payloads.size());
  for (const std::string_view payload : content.events.payloads) {
    inputs.push_back({.source = options_.id,
                      .topic = content.topic,
                      .token = {},
                      .payload = payload,
                      .full_bytes = 0});
  }
  inputs.back().token = token;
  const auto taken = co_await wal_.Append(inputs);
  if (!taken) co_return NotTaken(taken.error());
  counters_.records += inputs.size();
  for (const WalInput& input : inputs) counters_.bytes += input.payload.size();
  co_return Json(202, fmt::format(R"({{"accepted":{}}})", inputs.size()));
}

}  // namespace tidemark::edge

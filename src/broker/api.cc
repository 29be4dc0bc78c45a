#include "broker/api.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <utility>

#include "broker/discovery.h"
#include "broker/json_cursor.h"
#include "format/json_text.h"
#include "io/http_text.h"

namespace tidemark::broker {

namespace {

constexpr std::string_view kQueuesPath = "/api/v1/resources/queues";

// The one method that a path takes; empty: there is no such path.
std::string_view MethodOf(std::string_view path) {
  constexpr std::array<std::string_view, 5> kPosts{"/api/v1/push",
                                                   "/api/v1/fetch",
                                                   "/api/v1/partitions/changed",
                                                   "/api/v1/kv",
                                                   "/api/v1/configure"};
  if (path == "/health" || path == kQueuesPath) return "GET";
  if (path.starts_with(kQueuesPath) && path[kQueuesPath.size()] == '/') return "DELETE";
  return std::ranges::find(kPosts, path) != kPosts.end() ? "POST" : "";
}

io::HttpServerResponse Json(int status, std::string body) {
  return {
      .status = status, .headers = {{"Content-Type", "application/json"}}, .body = std::move(body)};
}

io::HttpServerResponse ErrorJson(int status, std::string_view error, std::string_view reason = {}) {
  std::string body = R"({"error":)";
  format::AppendJsonString(error, body);
  if (!reason.empty()) {
    body += R"(,"reason":)";
    format::AppendJsonString(reason, body);
  }
  body += '}';
  auto response = Json(status, std::move(body));
  if (status == 503) response.headers.emplace_back("Retry-After", "1");
  return response;
}

io::HttpServerResponse WrongMethod(std::string_view allowed) {
  auto response = ErrorJson(405, "method not allowed");
  response.headers.emplace_back("Allow", std::string(allowed));
  return response;
}

io::HttpServerResponse BadBody(const Error& error) {
  return ErrorJson(400, fmt::format("bad body: {}", error.message));
}

// A failure of the store: 503 where a later attempt may not meet it.
io::HttpServerResponse Failed(std::string_view what, const Error& error) {
  const bool later = IsRetriable(error) || error.code == ErrorCode::kExhausted ||
                     error.code == ErrorCode::kCancelled;
  return ErrorJson(later ? 503 : 500, what, error.message);
}

struct ConfigureRequest {
  std::string queue;
  QueueOptions options;
};

Result<ConfigureRequest> ParseConfigure(const std::string& body) {
  if (!IsUtf8(body)) return Fail(ErrorCode::kInvalidArgument, "the body is not UTF-8");
  JsonCursor json(body);
  ConfigureRequest request;
  std::string name_space;
  std::string task;
  TIDEMARK_TRY_VOID(json.ReadObject([&](std::string_view key) -> Status {
    TIDEMARK_TRY(const JsonType type, json.Peek());
    if (type == JsonType::kNull) return json.Skip();
    if (key == "queue") {
      TIDEMARK_TRY(request.queue, ReadName(json, "queue"));
      return {};
    }
    if (key == "options") {
      TIDEMARK_TRY(request.options, ReadQueueOptions(json));
      return {};
    }
    if (key != "namespace" && key != "task") return json.Skip();
    TIDEMARK_TRY(const std::string_view text, json.String());
    (key == "task" ? task : name_space) = text;
    return {};
  }));
  TIDEMARK_TRY_VOID(json.End());
  if (request.queue.empty()) return Fail(ErrorCode::kInvalidArgument, "queue is missing");
  if (!name_space.empty()) request.options.name_space = name_space;
  if (!task.empty()) request.options.task = task;
  return request;
}

}  // namespace

void Api::Handle(io::HttpServerRequest request, io::HttpResponder responder) {
  if (request.path == "/health") {
    if (request.method != "GET") return responder.Send(WrongMethod("GET"));
    return responder.Send(
        Json(200, fmt::format(R"({{"status":"healthy","parkedPolls":{}}})", polls_.parked())));
  }
  if (!MayCall(request)) return responder.Send(ErrorJson(401, "unauthorized"));
  workers_.Execute(
      [this, request = std::move(request), responder = std::move(responder)]() mutable {
        Route(std::move(request), std::move(responder));
      });
}

bool Api::MayCall(const io::HttpServerRequest& request) const {
  return token_.empty() || io::HasBearerToken(request, token_);
}

void Api::Route(io::HttpServerRequest request, io::HttpResponder responder) {
  const std::string_view path = request.path;
  const std::string_view method = MethodOf(path);
  if (method.empty()) {
    return responder.Send(ErrorJson(404, fmt::format("no {} {} here", request.method, path)));
  }
  if (request.method != method) return responder.Send(WrongMethod(method));
  if (path == kQueuesPath) return ListQueues(std::move(responder));
  if (method == "DELETE") {
    return DeleteQueue(path.substr(kQueuesPath.size() + 1), std::move(responder));
  }
  if (path == "/api/v1/push") return Push(std::move(request.body), std::move(responder));
  if (path == "/api/v1/fetch") return Fetch(request.body, std::move(responder));
  if (path == "/api/v1/partitions/changed") return Changed(request.body, std::move(responder));
  if (path == "/api/v1/kv") return Kv(request.body, std::move(responder));
  Configure(request.body, std::move(responder));
}

void Api::Push(std::string body, io::HttpResponder responder) {
  auto request = PushRequest::Parse(std::move(body));
  if (!request) return responder.Send(BadBody(request.error()));
  store_.Push(std::move(*request),
              [responder = std::move(responder)](Result<std::string> answer) mutable {
                if (!answer) return responder.Send(Failed("push failed", answer.error()));
                responder.Send(Json(201, std::move(*answer)));
              });
}

void Api::Fetch(const std::string& body, io::HttpResponder responder) {
  auto request = ParseFetch(body);
  if (!request) return responder.Send(BadBody(request.error()));
  auto answer = store_.Fetch(*request);
  if (!answer) return responder.Send(Failed("fetch failed", answer.error()));
  if (request->entries.empty() || answer->has_error || request->max_wait_ms == 0 ||
      answer->payload_bytes >= request->min_bytes) {
    return responder.Send(Json(200, std::move(answer->body)));
  }
  LongPolls::Poll poll;
  for (const FetchEntry& entry : request->entries) {
    poll.lanes.push_back({entry.queue, entry.partition});
  }
  poll.seen = std::move(answer->seen);
  poll.ready = answer->payload_bytes;
  poll.wanted = request->min_bytes;
  poll.wait = std::chrono::milliseconds(request->max_wait_ms);
  poll.resume = [this, request = std::move(*request), responder = std::move(responder)]() mutable {
    workers_.Execute(
        [this, request = std::move(request), responder = std::move(responder)]() mutable {
          auto late = store_.Fetch(request);
          if (!late) return responder.Send(Failed("fetch failed", late.error()));
          responder.Send(Json(200, std::move(late->body)));
        });
  };
  polls_.Park(std::move(poll));
}

void Api::Changed(const std::string& body, io::HttpResponder responder) {
  auto entries = ParseDiscovery(body);
  if (!entries) return responder.Send(BadBody(entries.error()));
  store_.SafeTime([this, entries = std::move(*entries), responder = std::move(responder)](
                      Result<Micros> safe) mutable {
    if (!safe) return responder.Send(Failed("partitions changed failed", safe.error()));
    // Pages of 64 queues take a while: not on the writer thread, which may be calling.
    workers_.Execute([this,
                      entries = std::move(entries),
                      safe = *safe,
                      responder = std::move(responder)]() mutable {
      responder.Send(Json(200, RenderDiscovery(store_.catalog(), entries, safe)));
    });
  });
}

void Api::Kv(const std::string& body, io::HttpResponder responder) {
  auto ops = ParseKvBatch(body);
  if (!ops && ops.error().code == ErrorCode::kExhausted) {
    return responder.Send(ErrorJson(413, "payload_too_large", ops.error().message));
  }
  if (!ops) return responder.Send(ErrorJson(400, "kv_bad_request", ops.error().message));
  store_.Kv(
      std::move(*ops), [responder = std::move(responder)](Result<std::string> answer) mutable {
        if (!answer) {
          const bool internal = answer.error().code == ErrorCode::kInternal;
          return responder.Send(Failed(internal ? "kv_error" : "kv_unavailable", answer.error()));
        }
        responder.Send(Json(200, std::move(*answer)));
      });
}

void Api::Configure(const std::string& body, io::HttpResponder responder) {
  auto request = ParseConfigure(body);
  if (!request) return responder.Send(BadBody(request.error()));
  std::string answer = R"({"configured":true,"queue":)";
  format::AppendJsonString(request->queue, answer);
  answer += R"(,"namespace":)";
  format::AppendJsonString(request->options.name_space, answer);
  answer += R"(,"task":)";
  format::AppendJsonString(request->options.task, answer);
  answer += fmt::format(R"(,"options":{}}})", RenderQueueOptions(request->options));
  store_.Configure(
      std::move(request->queue),
      std::move(request->options),
      [answer = std::move(answer), responder = std::move(responder)](Status status) mutable {
        if (!status) return responder.Send(Failed("configure failed", status.error()));
        responder.Send(Json(200, std::move(answer)));
      });
}

void Api::ListQueues(io::HttpResponder responder) {
  std::string body = R"({"queues":[)";
  for (const auto& queue : store_.catalog().Queues()) {
    if (body.back() == '}') body += ',';
    body += R"({"name":)";
    format::AppendJsonString(queue.name, body);
    body += R"(,"namespace":)";
    format::AppendJsonString(queue.options.name_space, body);
    body += R"(,"task":)";
    format::AppendJsonString(queue.options.task, body);
    body += fmt::format(R"(,"partitions":{}}})", queue.partitions);
  }
  body += "]}";
  responder.Send(Json(200, std::move(body)));
}

void Api::DeleteQueue(std::string_view escaped_name, io::HttpResponder responder) {
  const auto name = io::PercentDecode(escaped_name);
  if (!name) return responder.Send(ErrorJson(400, "bad queue name"));
  store_.DeleteQueue(*name,
                     [this, name = *name, responder = std::move(responder)](Status status) mutable {
                       if (!status && status.error().code == ErrorCode::kNotFound) {
                         return responder.Send(ErrorJson(404, status.error().message));
                       }
                       if (!status) return responder.Send(Failed("delete failed", status.error()));
                       polls_.OnQueueRemoved(name);
                       std::string body = R"({"deleted":true,"queue":)";
                       format::AppendJsonString(name, body);
                       body += '}';
                       responder.Send(Json(200, std::move(body)));
                     });
}

}  // namespace tidemark::broker

#include "edge/source/http_events.h"

#include <fmt/format.h>
#include <simdjson.h>

#include "base/compress.h"
#include "edge/source/lines.h"
#include "io/http_text.h"

namespace tidemark::edge {

namespace {

constexpr std::string_view kLineType = "application/x-ndjson";

std::unexpected<Error> Refuse(int status, std::string message) {
  return std::unexpected(
      Error{.code = ErrorCode::kInvalidArgument, .message = std::move(message), .status = status});
}

char Lower(char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c); }

// The first word of a header, in lower case: without parameters.
std::string WordOf(std::string_view header) {
  std::string word;
  for (const char c : header.substr(0, header.find(';'))) {
    if (c != ' ' && c != '\t') word.push_back(Lower(c));
  }
  return word;
}

Result<std::string> Decompress(io::HttpServerRequest& request, std::uint64_t max_bytes) {
  const std::string encoding = WordOf(request.Header("content-encoding"));
  Result<std::string> body;
  if (encoding.empty() || encoding == "identity") return std::move(request.body);
  if (encoding == "gzip" || encoding == "x-gzip") {
    body = GzipDecompress(request.body, max_bytes);
  } else if (encoding == "zstd") {
    body = ZstdDecompress(request.body, max_bytes);
  } else {
    return Refuse(
        415,
        fmt::format("content encoding \"{}\" is not known; known are gzip, zstd, identity",
                    encoding));
  }
  if (body) return body;
  const bool too_large = body.error().code == ErrorCode::kExhausted;
  return Refuse(too_large ? 413 : 400, fmt::format("{} body: {}", encoding, body.error().message));
}

Status CheckSize(std::string_view payload, std::int64_t max_bytes, std::string_view what) {
  if (static_cast<std::int64_t>(payload.size()) <= max_bytes) return {};
  return Refuse(
      413,
      fmt::format(
          "{} has {} bytes, the limit is {}; nothing was taken", what, payload.size(), max_bytes));
}

}  // namespace

Result<std::string> TopicOfPath(std::string_view path) {
  const auto topic = io::PercentDecode(path.substr(kEventsPath.size()));
  if (!topic) return Refuse(400, "the topic has a '%' without two hex digits");
  if (topic->empty()) return Refuse(400, "the path names no topic: /v1/events/<topic>");
  if (!simdjson::validate_utf8(*topic)) return Refuse(400, "the topic is not UTF-8");
  if (topic->find_first_of(std::string_view("+#\0", 3)) != std::string::npos) {
    return Refuse(400, "a topic has no wildcard (+ or #) and no NUL");
  }
  return *topic;
}

Result<Events> ReadEvents(io::HttpServerRequest& request, const EventLimits& limits) {
  Events events;
  TIDEMARK_TRY(std::string body, Decompress(request, limits.body_bytes_max));
  events.body = std::make_unique<const std::string>(std::move(body));
  if (WordOf(request.Header("content-type")) != kLineType) {
    if (events.body->empty()) return Refuse(400, "the body is empty: an event is expected");
    TIDEMARK_TRY_VOID(CheckSize(*events.body, limits.max_record_bytes, "the event"));
    events.payloads.push_back(*events.body);
    return events;
  }
  for (const Line& line : CutLines(*events.body, /*to_end=*/true).lines) {
    TIDEMARK_TRY_VOID(
        CheckSize(line.text, limits.max_record_bytes, fmt::format("line {}", line.number)));
    events.payloads.push_back(line.text);
  }
  if (events.payloads.empty()) return Refuse(400, "the body has no line: events are expected");
  return events;
}

}  // namespace tidemark::edge

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

Result<std::string> Decompress(std::string_view compressed,
                               std::string_view encoding,
                               std::uint64_t max_bytes) {
  Result<std::string> body;
  if (encoding == "gzip" || encoding == "x-gzip") {
    body = GzipDecompress(compressed, max_bytes);
  } else if (encoding == "zstd") {
    body = ZstdDecompress(compressed, max_bytes);
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

bool TooLong(std::string_view payload, const EventLimits& limits) {
  return static_cast<std::int64_t>(payload.size()) > limits.max_record_bytes;
}

std::unexpected<Error> RefuseSize(std::string_view payload,
                                  const EventLimits& limits,
                                  std::string_view what) {
  return Refuse(413,
                fmt::format("{} has {} bytes, the limit is {}; nothing was taken",
                            what,
                            payload.size(),
                            limits.max_record_bytes));
}

std::string EncodingOf(const io::HttpServerRequest& request) {
  std::string encoding = WordOf(request.Header("content-encoding"));
  return encoding == "identity" ? "" : encoding;
}

}  // namespace

bool IsCompressed(const io::HttpServerRequest& request) { return !EncodingOf(request).empty(); }

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
  const std::string encoding = EncodingOf(request);
  std::string body = std::move(request.body);
  events.decompressed = !encoding.empty();
  if (events.decompressed) {
    TIDEMARK_TRY(body, Decompress(body, encoding, limits.body_bytes_max));
  }
  events.body = std::make_unique<const std::string>(std::move(body));
  if (WordOf(request.Header("content-type")) != kLineType) {
    if (events.body->empty()) return Refuse(400, "the body is empty: an event is expected");
    if (TooLong(*events.body, limits)) return RefuseSize(*events.body, limits, "the event");
    events.payloads.push_back(*events.body);
    return events;
  }
  const Lines cut = CutLines(*events.body, /*to_end=*/true, limits.events_max + 1);
  if (cut.lines.size() > limits.events_max) {
    return Refuse(413,
                  fmt::format("line {}: a request holds {} events at most; nothing was taken",
                              cut.lines.back().number,
                              limits.events_max));
  }
  events.payloads.reserve(cut.lines.size());
  for (const Line& line : cut.lines) {
    if (TooLong(line.text, limits)) {
      return RefuseSize(line.text, limits, fmt::format("line {}", line.number));
    }
    events.payloads.push_back(line.text);
  }
  if (events.payloads.empty()) return Refuse(400, "the body has no line: events are expected");
  return events;
}

}  // namespace tidemark::edge

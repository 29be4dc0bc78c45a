// edge/source: a request as events: topic, compression, lines.

#include "edge/source/http_events.h"

#include <string>
#include <string_view>

#include "base/check.h"

namespace tidemark::fuzz {

namespace {

constexpr edge::EventLimits kLimits{
    .max_record_bytes = 64, .body_bytes_max = 4096, .events_max = 16};

void Read(std::string_view body, std::string_view encoding) {
  io::HttpServerRequest request;
  request.headers = {{"content-type", "application/x-ndjson"},
                     {"content-encoding", std::string(encoding)}};
  request.body = body;
  const auto events = edge::ReadEvents(request, kLimits);
  if (!events) return;
  TIDEMARK_CHECK(events->payloads.size() <= kLimits.events_max, "events");
  for (const std::string_view payload : events->payloads) {
    TIDEMARK_CHECK(static_cast<std::int64_t>(payload.size()) <= kLimits.max_record_bytes, "size");
    TIDEMARK_CHECK(!payload.empty() && !payload.contains('\n'), "a line is a line");
  }
}

}  // namespace

void HttpEvents(std::string_view bytes) {
  Read(bytes, "identity");
  Read(bytes, "gzip");
  Read(bytes, "zstd");
  if (const auto topic = edge::TopicOfPath(std::string(edge::kEventsPath).append(bytes))) {
    TIDEMARK_CHECK(!topic->empty() && topic->size() <= bytes.size(), "{}", *topic);
  }
}

}  // namespace tidemark::fuzz

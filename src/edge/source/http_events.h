#pragma once
// A request as events, or the answer that says what is wrong with it. Pure.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "io/http_server.h"

namespace tidemark::edge {

struct EventLimits {
  std::int64_t max_record_bytes = 16 << 20;
  // Of a body once it is decompressed.
  std::uint64_t body_bytes_max = 64 << 20;
  // Of one request: each costs memory beside its bytes.
  std::size_t events_max = 65'536;
};

// What a request holds; the payloads are views into `body` and stay good when this is moved.
struct Events {
  std::unique_ptr<const std::string> body;
  std::vector<std::string_view> payloads;
  bool decompressed = false;  // `body` is not the bytes that were sent
};

inline constexpr std::string_view kEventsPath = "/v1/events/";

// Whether ReadEvents will decompress the body.
bool IsCompressed(const io::HttpServerRequest& request);

// The topic of `path`, which begins with kEventsPath: percent-decoded. kInvalidArgument: empty,
// half an escape, not UTF-8, a NUL, or a wildcard of MQTT (`+`, `#`).
Result<std::string> TopicOfPath(std::string_view path);

// Takes the body out of `request`. An error's `status` is that of the answer: 400 for a body that
// is empty or does not decompress, 413 for one that is too large, has a record (named by its line)
// that is or too many of them, 415 for an unknown encoding. Takes the time of decompression.
Result<Events> ReadEvents(io::HttpServerRequest& request, const EventLimits& limits);

}  // namespace tidemark::edge

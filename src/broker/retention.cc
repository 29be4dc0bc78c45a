#include "broker/retention.h"

#include <algorithm>

#include "broker/json_cursor.h"

namespace tidemark::broker {

namespace {

constexpr std::int64_t kHoldMarginMicros = 60 * kMicrosPerSecond;

Micros Ago(Micros now, std::int64_t seconds) { return now - seconds * kMicrosPerSecond; }

}  // namespace

Micros RetentionCutoff(const QueueOptions& options, Micros now, std::optional<Micros> committed) {
  Micros cutoff = kMinusInfinity;
  if (options.retention_enabled && options.retention_seconds > 0) {
    cutoff = Ago(now, options.retention_seconds);
    if (!options.retention_sink_hold.empty()) {
      Micros held = Ago(now, options.retention_sink_hold_max_seconds);
      if (committed) held = std::max(held, *committed - kHoldMarginMicros);
      cutoff = std::min(cutoff, held);
    }
  }
  if (options.max_wait_seconds > 0) cutoff = std::max(cutoff, Ago(now, options.max_wait_seconds));
  return cutoff;
}

std::optional<Micros> CommittedEnd(std::string_view document) {
  JsonCursor json(document);
  std::optional<Micros> end;
  const Status read = json.ReadObject([&](std::string_view key) -> Status {
    if (key != "tEnd") return json.Skip();
    TIDEMARK_TRY(const std::string_view text, json.String());
    TIDEMARK_TRY(end, ParseIso(text));
    return {};
  });
  return read ? end : std::nullopt;
}

}  // namespace tidemark::broker

#pragma once
// What a queue can be told by POST /api/v1/configure (queen-interface 1.5, 14.3), and its stored
// form.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "broker/json_cursor.h"

namespace tidemark::broker {

struct QueueOptions {
  std::string name_space = {};
  std::string task = {};

  // With it, segments older than retention_seconds (> 0) are deleted. Off: the log is kept.
  bool retention_enabled = false;
  std::int64_t retention_seconds = 0;
  // Kept and shown, and of no effect: it counts from when consumers have completed a record, and
  // nobody consumes here.
  std::int64_t completed_retention_seconds = 0;
  // > 0: segments older than this are deleted, whatever else is said and whatever a sink still
  // needs.
  std::int64_t max_wait_seconds = 0;
  // How long a repeated transaction id is a duplicate; 0: never. See also DedupWindow.
  std::int64_t dedup_window_seconds = 3600;
  // Sink whose committed pointer holds retention back; empty: none.
  std::string retention_sink_hold = {};
  // The hold's cap: it never keeps anything older than this.
  std::int64_t retention_sink_hold_max_seconds = 604'800;

  bool operator==(const QueueOptions&) const = default;
};

// Reads the members of an `options` object; what is absent keeps its default, unknown ones are
// ignored, as the broker this stands in for does. kInvalidArgument: out of range, wrong type, or
// asking for what this broker cannot do.
Result<QueueOptions> ReadQueueOptions(JsonCursor& json);

// The object that ReadQueueOptions reads, compact.
std::string RenderQueueOptions(const QueueOptions& options);

}  // namespace tidemark::broker

#include "edge/segment/sink_counters.h"

namespace tidemark::edge {

void SinkCounters::CountJudged(const std::string& dataset,
                               Position position,
                               std::int64_t unknown_fields,
                               std::string_view reject_reason) {
  if (unknown_fields == 0 && reject_reason.empty()) return;
  Position& counted = counted_through[dataset];
  if (position <= counted) return;
  counted = position;
  unknown_dropped += unknown_fields;
  if (!reject_reason.empty()) ++rejects[std::string(reject_reason)];
}

}  // namespace tidemark::edge

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

void SinkCounters::CountFile(const format::FinalizedRecord& file) {
  ++files;
  rows += file.rows;
  file_bytes += file.bytes;
  files_through[file.dataset] = file.range.last;
}

void SinkCounters::CountUncounted(const format::CatalogState& catalog,
                                  const std::string& dataset,
                                  Epoch epoch,
                                  Position coverage) {
  const auto [through, is_first] = files_through.try_emplace(dataset, coverage);
  if (is_first) return;
  const Position counted = through->second;
  for (const auto& [path, file] : catalog.files()) {
    const format::FinalizedRecord& record = file.finalized;
    const bool ours = record.dataset == dataset && record.epoch == epoch;
    if (ours && record.range.last > counted && record.range.last <= coverage) CountFile(record);
  }
  files_through[dataset] = coverage;
}

}  // namespace tidemark::edge

#include "edge/status_metrics.h"

#include <fmt/format.h>

namespace tidemark::edge {

namespace {

using enum obs::Metric;

template <typename Number>
double D(Number number) {
  return static_cast<double>(number);
}

void ReportSource(const SourceStatus& source, obs::Metrics& metrics) {
  metrics.SetTotal(kEdgeRecordsTaken, {source.id}, D(source.counters.records));
  metrics.SetTotal(kEdgeBytesTaken, {source.id}, D(source.counters.bytes));
  for (const auto& [code, count] : source.counters.answers) {
    metrics.SetTotal(kEdgeRequests, {source.id, fmt::format_int(code).str()}, D(count));
  }
  for (const auto& [why, count] : source.counters.cut) {
    metrics.SetTotal(kEdgeRequestsCut, {source.id, why}, D(count));
  }
}

void ReportWal(const WalStatus& wal, obs::Metrics& metrics) {
  metrics.Set(kEdgeWalBytes, {}, D(wal.bytes));
  metrics.Set(kEdgeWalLimitBytes, {}, D(wal.bytes_max));
  metrics.Set(kEdgeWalPosition, {}, D(wal.synced_through.value()));
  metrics.SetTotal(kEdgeWalGroups, {}, D(wal.counters.groups));
  metrics.SetTotal(kEdgeWalWithheld, {}, D(wal.counters.withheld));
}

void ReportSink(const SinkReport& sink, obs::Metrics& metrics) {
  const SinkCounters& counters = sink.status.counters;
  metrics.SetTotal(kEdgeRows, {sink.id}, D(counters.rows));
  metrics.SetTotal(kEdgeFiles, {sink.id}, D(counters.files));
  metrics.SetTotal(kEdgeFileBytes, {sink.id}, D(counters.file_bytes));
  metrics.SetTotal(kEdgeCoverageMarkers, {sink.id}, D(counters.coverage_markers));
  metrics.SetTotal(kEdgeUnknownFields, {sink.id}, D(counters.unknown_dropped));
  for (const auto& [reason, count] : counters.rejects) {
    metrics.SetTotal(kEdgeRejects, {sink.id, reason}, D(count));
  }
  metrics.Set(kEdgeWatermark, {sink.id}, D(sink.status.watermark.value()));
  metrics.Set(kEdgeLagRecords, {sink.id}, D(sink.lag_records));
  metrics.Set(kEdgeOldestUnfinalizedSeconds, {sink.id}, D(sink.oldest_age_us) / kMicrosPerSecond);
  metrics.Set(kEdgeOpenFiles, {sink.id}, D(sink.status.open_files));
  metrics.Set(kEdgeDiskBytes, {sink.id}, D(sink.status.disk_bytes));
  metrics.Set(kEdgeDiskLimitBytes, {sink.id}, D(sink.disk_bytes_max));
  metrics.Set(kEdgeQuarantineBytes, {sink.id}, D(sink.status.reject_bytes));
  metrics.Set(kEdgeQuarantineLimitBytes, {sink.id}, D(sink.reject_bytes_max));
}

}  // namespace

void ReportStatus(const PipelineStatus& status, bool healthy, obs::Metrics& metrics) {
  metrics.Set(kEdgeHealthy, {}, healthy ? 1 : 0);
  for (const SourceStatus& source : status.sources) ReportSource(source, metrics);
  ReportWal(status.wal, metrics);
  for (const SinkReport& sink : status.sinks) ReportSink(sink, metrics);
}

}  // namespace tidemark::edge

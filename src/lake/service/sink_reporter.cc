#include "lake/service/sink_reporter.h"

#include <algorithm>

#include "lake/engine/lost_ranges.h"

namespace tidemark::lake {

namespace {

double Seconds(std::int64_t micros) {
  return static_cast<double>(std::max<std::int64_t>(micros, 0)) / kMicrosPerSecond;
}

// How far the lake is behind the log, by the broker's clock; 0 as long as no record is known.
double LagSeconds(const SinkProgress& progress) {
  const bool any_record = progress.committed_end != kMinusInfinity || progress.buffered_bytes > 0 ||
                          progress.committing_bytes > 0;
  if (!any_record || progress.newest_safe_time == kMinusInfinity ||
      progress.complete_through == kMinusInfinity) {
    return 0;
  }
  return Seconds(progress.newest_safe_time - progress.complete_through);
}

}  // namespace

void SinkReporter::OnProgress(const std::string& queue, const SinkProgress& progress) {
  using obs::Metric;
  const double lag_seconds = LagSeconds(progress);
  metrics_.Set(Metric::kLagSeconds, {queue}, lag_seconds);
  board_.OnProgress(queue, progress, lag_seconds);
  if (progress.newest_safe_time != kMinusInfinity) {
    metrics_.Set(Metric::kSafeLagSeconds, {}, Seconds(clock_.Now() - progress.newest_safe_time));
  }
  if (progress.complete_through != kMinusInfinity) {
    metrics_.Set(Metric::kCompleteThroughSeconds,
                 {queue},
                 static_cast<double>(progress.complete_through.value()) / kMicrosPerSecond);
    health_.Report(queue, progress.complete_through, progress.guarded_safe_time);
  }
  metrics_.Set(
      Metric::kCheckpointAgeWindows, {queue}, static_cast<double>(progress.checkpoint_age_windows));
  SinkProgress& last = last_[queue];
  buffered_bytes_ += progress.buffered_bytes - last.buffered_bytes;
  metrics_.Set(Metric::kBufferBytes, {}, static_cast<double>(buffered_bytes_));
  last = progress;
}

void SinkReporter::OnCommitted(const std::string& queue, const CommittedWindow& window) {
  using obs::Metric;
  const format::Manifest& manifest = window.manifest;
  SinkProgress& progress = last_[queue];
  progress.committed_end = manifest.window.end;
  progress.complete_through = std::max(progress.complete_through, manifest.window.end);
  const auto records = static_cast<double>(manifest.records);
  const auto bytes = static_cast<double>(manifest.bytes);
  const std::int64_t lost = OffsetsIn(manifest.lost);
  metrics_.Add(Metric::kWindowsCommitted, {queue});
  metrics_.Add(Metric::kRecordsWritten, {queue}, records);
  metrics_.Add(Metric::kBytesWritten, {queue, manifest.format}, bytes);
  metrics_.Observe(Metric::kWindowRecords, records);
  metrics_.Observe(Metric::kWindowBytes, bytes);
  const std::int64_t taken = lost - window.holes;
  if (taken > 0) metrics_.Add(Metric::kRecordsLost, {queue}, static_cast<double>(taken));
  if (window.holes > 0) {
    metrics_.Add(Metric::kLogHoles, {queue}, static_cast<double>(window.holes));
  }
  if (window.newline_payloads > 0) {
    metrics_.Add(Metric::kPayloadNewlines, {queue}, static_cast<double>(window.newline_payloads));
  }
  board_.OnCommitted(queue, manifest);
  log_.Info("window committed",
            {{"queue", queue},
             {"k", manifest.window.k.value()},
             {"records", manifest.records},
             {"bytes", manifest.bytes},
             {"t_end", FormatIso(manifest.window.end)},
             {"lag_seconds", LagSeconds(progress)},
             {"lost", lost}});
  for (const auto& range : manifest.lost) {
    log_.Sampled("lost",
                 "records were gone before they could be read",
                 {{"queue", queue},
                  {"partition", range.partition},
                  {"from", range.from.value()},
                  {"to", range.to.value()},
                  {"k", manifest.window.k.value()}});
  }
}

void SinkReporter::OnFetch(const std::string& queue, bool ok) {
  metrics_.Add(obs::Metric::kFetchCalls, {queue, ok ? "ok" : "error"});
}

void SinkReporter::OnDiscoveryPage(const std::string& queue,
                                   std::int64_t partitions,
                                   bool degraded) {
  metrics_.Set(obs::Metric::kDiscoveryPartitions, {queue}, static_cast<double>(partitions));
  if (degraded && degraded_logged_.insert(queue).second) {
    log_.Info("the broker cannot see all of its sessions: windows close later than they could",
              {{"queue", queue}});
  }
}

void SinkReporter::OnRecreated(const std::string& queue, const std::string& partition) {
  metrics_.Add(obs::Metric::kPartitionsRecreated, {queue});
  log_.Sampled("recreated",
               "a partition was deleted and created anew; it is read from its start",
               {{"queue", queue}, {"partition", partition}});
}

void SinkReporter::OnFault(const std::string& queue, std::string_view what, const Error& error) {
  board_.OnFault(queue, what, error);
  log_.Sampled(what,
               "call failed, trying again",
               {{"queue", queue}, {"call", what}, {"error", error.message}});
}

}  // namespace tidemark::lake

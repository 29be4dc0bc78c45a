#include "lake/service/sink_reporter.h"

#include <algorithm>
#include <utility>

#include "lake/engine/lost_ranges.h"

namespace tidemark::lake {

using obs::Metric;

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

SinkReporter::Queue::Queue(obs::Metrics& metrics, const std::string& name)
    : lag_seconds(metrics.GaugeOf(Metric::kLagSeconds, {name})),
      complete_through_seconds(metrics.GaugeOf(Metric::kCompleteThroughSeconds, {name})),
      checkpoint_age_windows(metrics.GaugeOf(Metric::kCheckpointAgeWindows, {name})),
      discovery_partitions(metrics.GaugeOf(Metric::kDiscoveryPartitions, {name})),
      fetches(metrics.CounterOf(Metric::kFetchCalls, {name, "ok"})),
      failed_fetches(metrics.CounterOf(Metric::kFetchCalls, {name, "error"})) {}

SinkReporter::SinkReporter(obs::Metrics& metrics,
                           obs::Health& health,
                           obs::Log& log,
                           StatusBoard& board,
                           const io::Clock& clock)
    : metrics_(metrics),
      health_(health),
      log_(log),
      board_(board),
      clock_(clock),
      safe_lag_seconds_(metrics.GaugeOf(Metric::kSafeLagSeconds, {})),
      buffer_bytes_(metrics.GaugeOf(Metric::kBufferBytes, {})) {}

SinkReporter::Queue& SinkReporter::At(const std::string& name) {
  const auto found = queues_.find(name);
  if (found != queues_.end()) return found->second;
  return queues_.try_emplace(name, metrics_, name).first->second;
}

void SinkReporter::OnProgress(const std::string& queue, const SinkProgress& progress) {
  Queue& entry = At(queue);
  const double lag_seconds = LagSeconds(progress);
  entry.lag_seconds.Set(lag_seconds);
  board_.OnProgress(queue, progress, lag_seconds);
  if (progress.newest_safe_time != kMinusInfinity) {
    safe_lag_seconds_.Set(Seconds(clock_.Now() - progress.newest_safe_time));
  }
  if (progress.complete_through != kMinusInfinity) {
    entry.complete_through_seconds.Set(static_cast<double>(progress.complete_through.value()) /
                                       kMicrosPerSecond);
    // What an old pass said proves nothing while the broker does not answer.
    const bool new_pass = progress.passes > 0 && progress.passes != entry.last.passes;
    health_.Report(
        queue, progress.complete_through, new_pass ? progress.guarded_safe_time : kPlusInfinity);
  } else {
    health_.Begin(queue);  // the first discovery pass may never end
  }
  entry.checkpoint_age_windows.Set(static_cast<double>(progress.checkpoint_age_windows));
  buffered_bytes_ += progress.buffered_bytes - entry.last.buffered_bytes;
  buffer_bytes_.Set(static_cast<double>(buffered_bytes_));
  entry.last = progress;
}

void SinkReporter::OnCommitted(const std::string& queue, const CommittedWindow& window) {
  const format::Manifest& manifest = window.manifest;
  SinkProgress& progress = At(queue).last;
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
  const Queue& entry = At(queue);
  (ok ? entry.fetches : entry.failed_fetches).Add();
}

void SinkReporter::OnDiscoveryPage(const std::string& queue,
                                   std::int64_t partitions,
                                   bool degraded) {
  Queue& entry = At(queue);
  entry.discovery_partitions.Set(static_cast<double>(partitions));
  if (degraded && !std::exchange(entry.degraded_logged, true)) {
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
  health_.Fail(queue);
  board_.OnFault(queue, what, error);
  // The kind is its first word: the rest names one object of many.
  log_.Sampled(what.substr(0, what.find(' ')),
               "call failed, trying again",
               {{"queue", queue}, {"call", what}, {"error", error.message}});
}

}  // namespace tidemark::lake

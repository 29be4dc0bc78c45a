#include "edge/pipeline_health.h"

#include <fmt/format.h>

#include "format/json_text.h"

namespace tidemark::edge {

namespace {

constexpr std::int64_t kPatienceMicros =
    std::chrono::duration_cast<std::chrono::microseconds>(PipelineHealth::kPatience).count();

std::int64_t Seconds(io::Duration duration) {
  return std::chrono::duration_cast<std::chrono::seconds>(duration).count();
}

std::string StuckWal(const WalStatus& wal) {
  if (!wal.withheld.empty()) return "intake is withheld: " + wal.withheld;
  if (wal.writing_for <= PipelineHealth::kPatience) return "";
  return fmt::format("intake waits: the disk has been writing a group of the log for {} s",
                     Seconds(wal.writing_for));
}

}  // namespace

void PipelineHealth::Observe(const PipelineStatus& status) {
  for (const SinkReport& sink : status.sinks) {
    Progress& progress = sinks_[sink.id];
    const bool idle = sink.status.read >= status.wal.synced_through;
    const bool moved = sink.status.read != progress.read ||
                       sink.status.watermark != progress.watermark || progress.at == io::Duration();
    if (!idle && !moved) continue;
    progress = {.read = sink.status.read, .watermark = sink.status.watermark, .at = status.ticks};
  }
}

std::string PipelineHealth::StuckSink(const SinkReport& sink, const PipelineStatus& status) const {
  if (!sink.status.stuck.empty()) return sink.status.stuck;
  const auto progress = sinks_.find(sink.id);
  if (progress == sinks_.end()) return "";
  const io::Duration still = status.ticks - progress->second.at;
  if (sink.status.read < status.wal.synced_through && still > kPatience) {
    return fmt::format("it has read nothing of the log for {} s", Seconds(still));
  }
  const std::int64_t age = sink.status.oldest_open ? status.now - *sink.status.oldest_open : 0;
  if (age > sink.max_age_us + kPatienceMicros) {
    return fmt::format("a file that was to be finished after {} s is open for {} s",
                       sink.max_age_us / kMicrosPerSecond,
                       age / kMicrosPerSecond);
  }
  return "";
}

std::string PipelineHealth::Stuck(const PipelineStatus& status) const {
  if (!status.failure.empty()) return status.failure;
  if (std::string why = StuckWal(status.wal); !why.empty()) return why;
  for (const SourceStatus& source : status.sources) {
    if (!source.stuck.empty()) return fmt::format("source {}: {}", source.id, source.stuck);
  }
  for (const SinkReport& sink : status.sinks) {
    const std::string why = StuckSink(sink, status);
    if (!why.empty()) return fmt::format("sink {}: {}", sink.id, why);
  }
  return "";
}

obs::HealthAnswer PipelineHealth::Check(const PipelineStatus& status) const {
  const std::string why = Stuck(status);
  if (why.empty()) {
    return {.status = 200,
            .body = fmt::format("{{\"ok\":true,\"sources\":{},\"sinks\":{}}}\n",
                                status.sources.size(),
                                status.sinks.size())};
  }
  std::string body = R"({"ok":false,"reason":)";
  format::AppendJsonString(why, body);
  return {.status = 503, .body = body + "}\n"};
}

}  // namespace tidemark::edge

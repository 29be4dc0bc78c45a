#include "edge/status_text.h"

#include <fmt/format.h>

#include "format/json_text.h"

namespace tidemark::edge {

namespace {

double Seconds(io::Duration duration) { return std::chrono::duration<double>(duration).count(); }

// Families in the order in which they are begun.
class Exposition {
 public:
  void Family(std::string_view name, std::string_view type, std::string_view help) {
    name_ = name;
    text_ += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
  }

  template <typename Number>
  void Sample(std::string_view labels, Number value) {
    text_ += labels.empty() ? fmt::format("{} {}\n", name_, value)
                            : fmt::format("{}{{{}}} {}\n", name_, labels, value);
  }

  std::string Take() { return std::move(text_); }

 private:
  std::string name_;
  std::string text_;
};

std::string Label(std::string_view name, std::string_view value) {
  std::string label = fmt::format("{}=", name);
  format::AppendJsonString(value, label);
  return label;
}

void SourceFamilies(const PipelineStatus& status, Exposition& out) {
  const auto family = [&](const char* name, const char* help, auto value) {
    out.Family(name, "counter", help);
    for (const SourceStatus& source : status.sources) {
      out.Sample(Label("source", source.id), source.counters.*value);
    }
  };
  family("tidemark_edge_records_taken_total",
         "Records that a source took in.",
         &SourceCounters::records);
  family("tidemark_edge_bytes_taken_total",
         "Payload bytes that a source took in.",
         &SourceCounters::bytes);
  family("tidemark_edge_requests_total", "Requests of clients.", &SourceCounters::requests);
  family("tidemark_edge_requests_refused_total",
         "Requests refused for a fault of theirs (4xx).",
         &SourceCounters::refused);
  family("tidemark_edge_requests_withheld_total",
         "Requests told to come again (503).",
         &SourceCounters::withheld);
}

void WalFamilies(const PipelineStatus& status, Exposition& out) {
  out.Family("tidemark_edge_wal_bytes", "gauge", "Bytes of the write-ahead log on disk.");
  out.Sample("", status.wal_bytes);
  out.Family("tidemark_edge_wal_position", "gauge", "The last durable position.");
  out.Sample("", status.synced_through.value());
  out.Family("tidemark_edge_wal_groups_total", "counter", "Groups synced.");
  out.Sample("", status.wal.groups);
  out.Family("tidemark_edge_wal_withheld_total", "counter", "Appends refused for want of room.");
  out.Sample("", status.wal.withheld);
  out.Family("tidemark_edge_wal_sync_seconds", "gauge", "Write and sync of the last group.");
  out.Sample("", Seconds(status.wal.last_sync));
  out.Family("tidemark_edge_wal_sync_seconds_max", "gauge", "The longest since the start.");
  out.Sample("", Seconds(status.wal.longest_sync));
}

void SinkFamilies(const PipelineStatus& status, Exposition& out) {
  const auto family = [&](const char* name, const char* type, const char* help, auto value) {
    out.Family(name, type, help);
    for (const SinkReport& sink : status.sinks) {
      out.Sample(Label("sink", sink.id), value(sink.status));
    }
  };
  family("tidemark_edge_rows_total",
         "counter",
         "Rows decoded since the start.",
         [](const SinkStatus& s) { return s.counters.rows; });
  family("tidemark_edge_files_total",
         "counter",
         "Segments finalized since the start.",
         [](const SinkStatus& s) { return s.counters.files; });
  family("tidemark_edge_file_bytes_total", "counter", "Their bytes.", [](const SinkStatus& s) {
    return s.counters.file_bytes;
  });
  family("tidemark_edge_coverage_markers_total",
         "counter",
         "Markers for idle data sets.",
         [](const SinkStatus& s) { return s.counters.coverage_markers; });
  family("tidemark_edge_unknown_fields_total",
         "counter",
         "Leaves that `unknown: lenient` dropped.",
         [](const SinkStatus& s) { return s.counters.unknown_dropped; });
  family("tidemark_edge_watermark",
         "gauge",
         "Every data set is committed up to this position.",
         [](const SinkStatus& s) { return s.watermark.value(); });
  family("tidemark_edge_lag_records",
         "gauge",
         "Positions taken in that are not yet committed.",
         [&](const SinkStatus& s) { return status.synced_through - s.watermark; });
  family("tidemark_edge_open_files", "gauge", "Segments being written.", [](const SinkStatus& s) {
    return s.open_files;
  });
  family("tidemark_edge_disk_bytes",
         "gauge",
         "Bytes of staging and ready files.",
         [](const SinkStatus& s) { return s.disk_bytes; });
  family("tidemark_edge_oldest_open_seconds",
         "gauge",
         "Age of the oldest row in no finalized file.",
         [&](const SinkStatus& s) {
           const std::int64_t age = s.oldest_open ? status.now - *s.oldest_open : 0;
           return static_cast<double>(age) / static_cast<double>(kMicrosPerSecond);
         });
  out.Family("tidemark_edge_rejects_total", "counter", "Records that a data set did not take.");
  for (const SinkReport& sink : status.sinks) {
    for (const auto& [reason, count] : sink.status.counters.rejects) {
      out.Sample(Label("sink", sink.id) + "," + Label("reason", reason), count);
    }
  }
}

HealthReport Red(const std::string& why) {
  std::string body = "{\"ok\":false,\"reason\":";
  format::AppendJsonString(why, body);
  return {.status = 503, .body = body + "}\n"};
}

}  // namespace

std::string MetricsText(const PipelineStatus& status) {
  Exposition out;
  SourceFamilies(status, out);
  WalFamilies(status, out);
  SinkFamilies(status, out);
  return out.Take();
}

HealthReport HealthOf(const PipelineStatus& status) {
  if (!status.failure.empty()) return Red(status.failure);
  for (const SinkReport& sink : status.sinks) {
    if (!sink.status.stuck.empty()) {
      return Red(fmt::format("sink {}: {}", sink.id, sink.status.stuck));
    }
  }
  if (!status.wal_withheld.empty()) return Red("intake is withheld: " + status.wal_withheld);
  return {.status = 200,
          .body = fmt::format("{{\"ok\":true,\"sources\":{},\"sinks\":{}}}\n",
                              status.sources.size(),
                              status.sinks.size())};
}

}  // namespace tidemark::edge

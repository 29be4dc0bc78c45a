#include "obs/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <span>

#include "base/check.h"

namespace tidemark::obs {

namespace {

enum class Type { kGauge, kCounter, kHistogram };

constexpr double kMiB = 1'048'576;
constexpr std::array kRecordBuckets{1.0, 10.0, 100.0, 1e3, 1e4, 1e5, 1e6, 1e7};
constexpr std::array kByteBuckets{
    1 * kMiB, 4 * kMiB, 16 * kMiB, 64 * kMiB, 128 * kMiB, 256 * kMiB, 512 * kMiB, 1024 * kMiB};

struct Definition {
  Metric metric;
  std::string_view name;
  Type type;
  std::array<std::string_view, 2> labels;  // unused ones empty
  std::string_view help;
  std::span<const double> buckets = {};  // histograms: upper bounds but for +Inf
};

constexpr std::array kDefinitions{
    Definition{Metric::kLagSeconds,
               "queen_s3_lag_seconds",
               Type::kGauge,
               {"queue"},
               "How far the lake trails the log, in seconds of the broker's clock."},
    Definition{Metric::kSafeLagSeconds,
               "queen_s3_safe_lag_seconds",
               Type::kGauge,
               {},
               "How far the newest safeTime trails this machine's clock, in seconds."},
    Definition{Metric::kWindowsCommitted,
               "queen_s3_windows_committed_total",
               Type::kCounter,
               {"queue"},
               "Windows committed."},
    Definition{Metric::kRecordsWritten,
               "queen_s3_records_written_total",
               Type::kCounter,
               {"queue"},
               "Records in committed windows."},
    Definition{Metric::kBytesWritten,
               "queen_s3_bytes_written_total",
               Type::kCounter,
               {"queue", "format"},
               "Stored bytes of committed windows."},
    Definition{Metric::kRecordsLost,
               "queen_s3_records_lost_total",
               Type::kCounter,
               {"queue"},
               "Offsets that retention deleted before they were read."},
    Definition{Metric::kWindowRecords,
               "queen_s3_window_records",
               Type::kHistogram,
               {},
               "Records per committed window.",
               kRecordBuckets},
    Definition{Metric::kWindowBytes,
               "queen_s3_window_bytes",
               Type::kHistogram,
               {},
               "Stored bytes per committed window.",
               kByteBuckets},
    Definition{Metric::kBufferBytes,
               "queen_s3_buffer_bytes",
               Type::kGauge,
               {},
               "Weight of the records held in memory, all queues together."},
    Definition{Metric::kFetchCalls,
               "queen_s3_fetch_calls_total",
               Type::kCounter,
               {"queue", "result"},
               "Fetch calls by result."},
    Definition{Metric::kDiscoveryPartitions,
               "queen_s3_discovery_partitions",
               Type::kGauge,
               {"queue"},
               "Partitions named by the last discovery page."},
    Definition{Metric::kS3Requests,
               "queen_s3_s3_requests_total",
               Type::kCounter,
               {"op", "code"},
               "Requests to the bucket by operation and status; code 0 is no answer."},
    Definition{Metric::kCommitPreconditionLost,
               "queen_s3_commit_precondition_lost_total",
               Type::kCounter,
               {},
               "Batches rolled back because a fenced document had changed."},
    Definition{Metric::kCheckpointAgeWindows,
               "queen_s3_checkpoint_age_windows",
               Type::kGauge,
               {"queue"},
               "Windows committed since the last checkpoint."},
    Definition{Metric::kLogHoles,
               "tidemark_log_holes_total",
               Type::kCounter,
               {"queue"},
               "Offsets that the log skipped inside a fetched run."},
    Definition{Metric::kPayloadNewlines,
               "tidemark_payload_newlines_total",
               Type::kCounter,
               {"queue"},
               "Raw line breaks in payloads that JSONL holds as blanks."},
    Definition{Metric::kPartitionsRecreated,
               "tidemark_partitions_recreated_total",
               Type::kCounter,
               {"queue"},
               "Partitions found deleted and created again."},
    Definition{Metric::kCompleteThroughSeconds,
               "tidemark_complete_through_seconds",
               Type::kGauge,
               {"queue"},
               "Up to when the lake is complete, in seconds since the epoch."},
    Definition{Metric::kMemoryLimitBytes,
               "tidemark_memory_limit_bytes",
               Type::kGauge,
               {},
               "What answers and object buffers may take together."},
    Definition{Metric::kMemoryUsedBytes,
               "tidemark_memory_used_bytes",
               Type::kGauge,
               {},
               "What answers and object buffers take now."},
    Definition{Metric::kMemoryRoomBytes,
               "tidemark_memory_room_bytes",
               Type::kGauge,
               {},
               "What answers may still take; fetching pauses when it is used up."},
};

constexpr bool InListOrder() {
  for (std::size_t i = 0; i < kDefinitions.size(); ++i) {
    if (static_cast<std::size_t>(kDefinitions[i].metric) != i) return false;
  }
  return true;
}

static_assert(InListOrder());

const Definition& DefinitionOf(Metric metric) {
  return kDefinitions[static_cast<std::size_t>(metric)];
}

std::size_t LabelCount(const Definition& definition) {
  return static_cast<std::size_t>(
      std::ranges::count_if(definition.labels, [](auto name) { return !name.empty(); }));
}

std::string_view ToString(Type type) {
  switch (type) {
    case Type::kGauge:
      return "gauge";
    case Type::kCounter:
      return "counter";
    case Type::kHistogram:
      return "histogram";
  }
  return "untyped";
}

std::string Number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  if (value == std::trunc(value) && std::abs(value) < 1e15) {
    return fmt::format("{}", static_cast<std::int64_t>(value));
  }
  return fmt::format("{}", value);
}

void AppendLabelValue(std::string_view value, std::string& out) {
  for (const char c : value) {
    if (c == '\\' || c == '"') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
}

void AppendSeries(const Definition& definition,
                  const std::vector<std::string>& values,
                  double number,
                  std::string& out) {
  out += definition.name;
  for (std::size_t i = 0; i < values.size(); ++i) {
    fmt::format_to(std::back_inserter(out), "{}{}=\"", i == 0 ? '{' : ',', definition.labels[i]);
    AppendLabelValue(values[i], out);
    out += '"';
  }
  if (!values.empty()) out += '}';
  fmt::format_to(std::back_inserter(out), " {}\n", Number(number));
}

void AppendHistogram(const Definition& definition,
                     const std::vector<std::uint64_t>& counts,
                     double sum,
                     std::string& out) {
  std::uint64_t cumulative = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    cumulative += counts[i];
    const std::string bound =
        i < definition.buckets.size() ? Number(definition.buckets[i]) : "+Inf";
    fmt::format_to(
        std::back_inserter(out), "{}_bucket{{le=\"{}\"}} {}\n", definition.name, bound, cumulative);
  }
  fmt::format_to(std::back_inserter(out),
                 "{0}_sum {1}\n{0}_count {2}\n",
                 definition.name,
                 Number(sum),
                 cumulative);
}

}  // namespace

Metrics::Metrics() : families_(kDefinitions.size()) {
  for (const auto& definition : kDefinitions) {
    Family& family = families_[static_cast<std::size_t>(definition.metric)];
    if (definition.type == Type::kHistogram) {
      family.histogram.counts.resize(definition.buckets.size() + 1);
    } else if (definition.type == Type::kCounter && LabelCount(definition) == 0) {
      family.series[{}] = 0;
    }
  }
}

double& Metrics::Series(Metric metric, Labels labels) {
  const Definition& definition = DefinitionOf(metric);
  TIDEMARK_CHECK(labels.size() == LabelCount(definition), "labels of {}", definition.name);
  auto& series = families_[static_cast<std::size_t>(metric)].series;
  return series[std::vector<std::string>(labels.begin(), labels.end())];
}

void Metrics::Set(Metric gauge, Labels labels, double value) {
  TIDEMARK_CHECK(DefinitionOf(gauge).type == Type::kGauge, "{}", DefinitionOf(gauge).name);
  const std::lock_guard lock(mutex_);
  Series(gauge, labels) = value;
}

void Metrics::Add(Metric counter, Labels labels, double by) {
  TIDEMARK_CHECK(DefinitionOf(counter).type == Type::kCounter, "{}", DefinitionOf(counter).name);
  const std::lock_guard lock(mutex_);
  Series(counter, labels) += by;
}

void Metrics::Observe(Metric histogram, double value) {
  const Definition& definition = DefinitionOf(histogram);
  TIDEMARK_CHECK(definition.type == Type::kHistogram, "{}", definition.name);
  const auto bucket = std::ranges::lower_bound(definition.buckets, value);
  const std::lock_guard lock(mutex_);
  Histogram& family = families_[static_cast<std::size_t>(histogram)].histogram;
  ++family.counts[static_cast<std::size_t>(bucket - definition.buckets.begin())];
  family.sum += value;
}

double Metrics::Value(Metric metric, Labels labels) const {
  const std::lock_guard lock(mutex_);
  const auto& series = families_[static_cast<std::size_t>(metric)].series;
  const auto found = series.find(std::vector<std::string>(labels.begin(), labels.end()));
  return found == series.end() ? 0 : found->second;
}

std::string Metrics::Render() const {
  const std::lock_guard lock(mutex_);
  std::string out;
  for (const auto& definition : kDefinitions) {
    const Family& family = families_[static_cast<std::size_t>(definition.metric)];
    fmt::format_to(std::back_inserter(out),
                   "# HELP {0} {1}\n# TYPE {0} {2}\n",
                   definition.name,
                   definition.help,
                   ToString(definition.type));
    if (definition.type == Type::kHistogram) {
      AppendHistogram(definition, family.histogram.counts, family.histogram.sum, out);
    }
    for (const auto& [labels, value] : family.series) AppendSeries(definition, labels, value, out);
  }
  return out;
}

}  // namespace tidemark::obs

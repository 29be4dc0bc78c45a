#include "obs/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/check.h"
#include "obs/metric_list.h"

namespace tidemark::obs {

namespace {

std::size_t LabelCount(const MetricDefinition& definition) {
  return static_cast<std::size_t>(
      std::ranges::count_if(definition.labels, [](auto name) { return !name.empty(); }));
}

std::string_view ToString(MetricType type) {
  switch (type) {
    case MetricType::kGauge:
      return "gauge";
    case MetricType::kCounter:
      return "counter";
    case MetricType::kHistogram:
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

void AppendSeries(const MetricDefinition& definition,
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

void AppendHistogram(const MetricDefinition& definition,
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

Metrics::Metrics(Wing wing) : wing_(wing) {
  for (const auto& definition : DefinitionsOf(wing)) {
    Family& family = families_[definition.metric];
    if (definition.type == MetricType::kHistogram) {
      family.histogram.counts.resize(definition.buckets.size() + 1);
    } else if (definition.type == MetricType::kCounter && LabelCount(definition) == 0) {
      family.series[{}].Set(0);
    }
  }
}

Metrics::Family& Metrics::FamilyOf(Metric metric) {
  const auto found = families_.find(metric);
  TIDEMARK_CHECK(found != families_.end(), "{} is the other wing's", DefinitionOf(metric).name);
  return found->second;
}

SeriesCell& Metrics::Series(Metric metric, Labels labels) {
  const MetricDefinition& definition = DefinitionOf(metric);
  TIDEMARK_CHECK(labels.size() == LabelCount(definition), "labels of {}", definition.name);
  return FamilyOf(metric).series[std::vector<std::string>(labels.begin(), labels.end())];
}

Gauge Metrics::GaugeOf(Metric gauge, Labels labels) {
  TIDEMARK_CHECK(DefinitionOf(gauge).type == MetricType::kGauge, "{}", DefinitionOf(gauge).name);
  const std::lock_guard lock(mutex_);
  return Gauge(Series(gauge, labels));
}

Counter Metrics::CounterOf(Metric counter, Labels labels) {
  TIDEMARK_CHECK(
      DefinitionOf(counter).type == MetricType::kCounter, "{}", DefinitionOf(counter).name);
  const std::lock_guard lock(mutex_);
  return Counter(Series(counter, labels));
}

void Metrics::Set(Metric gauge, Labels labels, double value) { GaugeOf(gauge, labels).Set(value); }

void Metrics::Add(Metric counter, Labels labels, double by) { CounterOf(counter, labels).Add(by); }

void Metrics::SetTotal(Metric counter, Labels labels, double total) {
  TIDEMARK_CHECK(
      DefinitionOf(counter).type == MetricType::kCounter, "{}", DefinitionOf(counter).name);
  const std::lock_guard lock(mutex_);
  Series(counter, labels).Set(total);
}

void Metrics::Observe(Metric histogram, double value) {
  const MetricDefinition& definition = DefinitionOf(histogram);
  TIDEMARK_CHECK(definition.type == MetricType::kHistogram, "{}", definition.name);
  const auto bucket = std::ranges::lower_bound(definition.buckets, value);
  const std::lock_guard lock(mutex_);
  Histogram& family = FamilyOf(histogram).histogram;
  ++family.counts[static_cast<std::size_t>(bucket - definition.buckets.begin())];
  family.sum += value;
}

double Metrics::Value(Metric metric, Labels labels) const {
  const std::lock_guard lock(mutex_);
  const auto family = families_.find(metric);
  if (family == families_.end()) return 0;
  const auto& series = family->second.series;
  const auto found = series.find(std::vector<std::string>(labels.begin(), labels.end()));
  return found == series.end() ? 0 : found->second.value();
}

std::string Metrics::Render() const {
  const std::lock_guard lock(mutex_);
  std::string out;
  for (const auto& definition : DefinitionsOf(wing_)) {
    const Family& family = families_.at(definition.metric);
    fmt::format_to(std::back_inserter(out),
                   "# HELP {0} {1}\n# TYPE {0} {2}\n",
                   definition.name,
                   definition.help,
                   ToString(definition.type));
    if (definition.type == MetricType::kHistogram) {
      AppendHistogram(definition, family.histogram.counts, family.histogram.sum, out);
    }
    for (const auto& [labels, cell] : family.series) {
      if (cell.exposed()) AppendSeries(definition, labels, cell.value(), out);
    }
  }
  return out;
}

}  // namespace tidemark::obs

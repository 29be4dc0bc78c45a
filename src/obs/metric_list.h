#pragma once
// The metrics as they are exposed: name, type, labels, meaning. One list for both wings of the
// house.

#include <array>
#include <span>
#include <string_view>

#include "obs/metrics.h"

namespace tidemark::obs {

enum class MetricType { kGauge, kCounter, kHistogram };

struct MetricDefinition {
  Metric metric;
  std::string_view name;
  MetricType type;
  std::array<std::string_view, 2> labels;  // unused ones empty
  std::string_view help;
  std::span<const double> buckets = {};  // histograms: upper bounds but for +Inf
};

const MetricDefinition& DefinitionOf(Metric metric);

// In exposition order.
std::span<const MetricDefinition> DefinitionsOf(Wing wing);

}  // namespace tidemark::obs

#pragma once
// What a running pipeline tells on GET /metrics and GET /healthz.

#include <string>
#include <vector>

#include "base/time.h"
#include "edge/sink_driver.h"
#include "edge/source/source.h"

namespace tidemark::edge {

struct SourceStatus {
  std::string id;
  SourceCounters counters;
};

struct SinkReport {
  std::string id;
  SinkStatus status;
};

struct PipelineStatus {
  Micros now;
  std::vector<SourceStatus> sources;
  std::vector<SinkReport> sinks;
  Position synced_through;
  std::int64_t wal_bytes = 0;
  std::int64_t wal_bytes_max = 0;
  std::string wal_withheld;  // why the last append was refused; empty: it was not
  WalCounters wal;
  std::string failure;  // why the pipeline ends; empty: it runs
};

// The Prometheus text form; every family has its HELP and TYPE. One list, here.
std::string MetricsText(const PipelineStatus& status);

struct HealthReport {
  int status = 200;  // or 503
  std::string body;  // one line of JSON
};

// Red when the pipeline failed, when a sink has no room, and when intake is withheld because the
// write-ahead log or its disk is full.
HealthReport HealthOf(const PipelineStatus& status);

}  // namespace tidemark::edge

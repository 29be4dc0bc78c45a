#pragma once
// Where a running pipeline stands, as one value: what /metrics, /healthz and the status page show.

#include <string>
#include <vector>

#include "base/time.h"
#include "edge/sink_driver.h"
#include "edge/source/source.h"
#include "edge/wal/wal.h"

namespace tidemark::edge {

struct SourceStatus {
  std::string id = {};
  SourceCounters counters = {};
  std::string stuck = {};  // why it takes nothing in; empty: it does, or nothing comes
};

struct SinkReport {
  std::string id = {};
  SinkStatus status = {};
  std::int64_t lag_records = 0;       // taken in and not committed
  std::int64_t oldest_age_us = 0;     // of the first of them
  std::int64_t disk_bytes_max = 0;    // its budget
  std::int64_t reject_bytes_max = 0;  // and its quarantine's
  std::int64_t max_age_us = 0;        // rotation's
};

struct WalStatus {
  Position synced_through = {};
  std::int64_t bytes = 0;
  std::int64_t bytes_max = 0;
  WalCounters counters = {};
  std::string withheld = {};   // why the last append was refused; empty: it was not
  io::Duration writing_for{};  // how long the group at hand has been on its way to the disk
};

struct PipelineStatus {
  Micros now = {};       // this machine's clock
  io::Duration ticks{};  // the loop's
  std::vector<SourceStatus> sources;
  std::vector<SinkReport> sinks;
  WalStatus wal;
  std::string failure;  // why the pipeline ends; empty: it runs
};

}  // namespace tidemark::edge

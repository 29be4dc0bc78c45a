#pragma once
// The one list of metrics, and their values (queen-interface 13.1). Names, order and number format
// are what operators' dashboards read: an entry is added at the end of its prefix (the list of one
// wing), never renamed.
// No metric has a partition label.

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "obs/series.h"

namespace tidemark::obs {

// In exposition order; labels in brackets, in the order in which their values are given.
enum class Metric {
  kLagSeconds,              // gauge [queue]: newest safeTime - complete through, the broker's clock
  kSafeLagSeconds,          // gauge: wall clock - newest safeTime
  kWindowsCommitted,        // counter [queue]
  kRecordsWritten,          // counter [queue]: records in committed windows
  kBytesWritten,            // counter [queue, format]: stored bytes in committed windows
  kRecordsLost,             // counter [queue]: offsets that retention took, counted at the commit
  kWindowRecords,           // histogram: records per committed window
  kWindowBytes,             // histogram: stored bytes per committed window
  kBufferBytes,             // gauge: buffered weight over all queues
  kFetchCalls,              // counter [queue, result]: result is ok or error
  kDiscoveryPartitions,     // gauge [queue]: partitions in the last discovery page
  kS3Requests,              // counter [op, code]: code 0 is no answer
  kCommitPreconditionLost,  // counter: rolled-back KV batches
  kCheckpointAgeWindows,    // gauge [queue]: committed k - last checkpoint k
  kLogHoles,                // counter [queue]: offsets missing inside the log
  kPayloadNewlines,         // counter [queue]: raw line breaks in payloads, replaced by blanks
  kPartitionsRecreated,     // counter [queue]: partitions seen deleted and created again
  kCompleteThroughSeconds,  // gauge [queue]: epoch seconds up to which the lake is complete
  kMemoryLimitBytes,        // gauge: QUEEN_S3_MEMORY_MB, less the allocator's share
  kMemoryUsedBytes,         // gauge: of that, answers and object buffers
  kMemoryRoomBytes,         // gauge: what answers may still take; near 0 fetching pauses
  kQueuesGivenBack,         // counter: queues left to instances that hold fewer
  // of the edge wing
  kEdgeHealthy,                   // gauge
  kEdgeRecordsTaken,              // counter [source]
  kEdgeBytesTaken,                // counter [source]
  kEdgeRequests,                  // counter [source, code]
  kEdgeWalBytes,                  // gauge
  kEdgeWalLimitBytes,             // gauge
  kEdgeWalPosition,               // gauge
  kEdgeWalGroups,                 // counter
  kEdgeWalWithheld,               // counter
  kEdgeWalSyncSeconds,            // histogram
  kEdgeRows,                      // counter [sink]
  kEdgeFiles,                     // counter [sink]
  kEdgeFileBytes,                 // counter [sink]
  kEdgeCoverageMarkers,           // counter [sink]
  kEdgeUnknownFields,             // counter [sink]
  kEdgeRejects,                   // counter [sink, reason]
  kEdgeWatermark,                 // gauge [sink]
  kEdgeLagRecords,                // gauge [sink]
  kEdgeOldestUnfinalizedSeconds,  // gauge [sink]
  kEdgeOpenFiles,                 // gauge [sink]
  kEdgeDiskBytes,                 // gauge [sink]
  kEdgeDiskLimitBytes,            // gauge [sink]
  kEdgeQuarantineBytes,           // gauge [sink]
  kEdgeQuarantineLimitBytes,      // gauge [sink]
  kEdgeRequestsCut,               // counter [source, why]
};

// Each process is of one wing and exposes the families of that alone.
enum class Wing { kLake, kEdge };

// The content type of Render's text.
inline constexpr std::string_view kMetricsContentType = "text/plain; version=0.0.4; charset=utf-8";

// Thread-safe.
class Metrics {
 public:
  using Labels = std::initializer_list<std::string_view>;

  explicit Metrics(Wing wing = Wing::kLake);

  void Set(Metric gauge, Labels labels, double value);
  void Add(Metric counter, Labels labels, double by = 1);
  // The total of a counter that somebody else keeps.
  void SetTotal(Metric counter, Labels labels, double total);
  void Observe(Metric histogram, double value);

  // The same for one series, to be kept; it is exposed from its first Set or Add on.
  Gauge GaugeOf(Metric gauge, Labels labels);
  Counter CounterOf(Metric counter, Labels labels);

  // A gauge's or counter's value; 0 for a series that is not there.
  double Value(Metric metric, Labels labels) const;

  // The Prometheus text form. Every family prints HELP and TYPE, with samples or not; series are
  // sorted by labels.
  std::string Render() const;

 private:
  struct Histogram {
    std::vector<std::uint64_t> counts;  // per bucket, not cumulative; the last one is +Inf
    double sum = 0;
  };

  struct Family {
    std::map<std::vector<std::string>, SeriesCell> series;  // never erased: handles point into it
    Histogram histogram;
  };

  Family& FamilyOf(Metric metric);
  SeriesCell& Series(Metric metric, Labels labels);

  const Wing wing_;
  mutable std::mutex mutex_;
  std::map<Metric, Family> families_;
};

}  // namespace tidemark::obs

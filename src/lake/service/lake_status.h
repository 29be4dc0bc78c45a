#pragma once
// Where a running lake stands, as one value: what the status page shows.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "obs/health.h"

namespace tidemark::lake {

struct WindowStatus {
  std::int64_t k = 0;
  Micros end;  // broker's clock
  std::int64_t records = 0;
  std::int64_t bytes = 0;  // stored
  std::int64_t lost = 0;   // offsets
};

enum class QueueState {
  kStarting,  // no sink of it has reported so far
  kWaiting,   // another instance holds the lease
  kServing,
  kStopped,  // started over by itself where that may help
};

struct QueueStatus {
  std::string queue;
  QueueState state = QueueState::kStarting;
  std::string owner;   // of the lease; empty: not known
  std::string reason;  // kStopped: why, in a sentence
  std::optional<obs::Stale> stale;
  std::optional<std::int64_t> committed_k;
  Micros complete_through = kMinusInfinity;
  double lag_seconds = 0;
  std::int64_t partitions = 0;
  std::int64_t buffered_bytes = 0;
  std::int64_t lost = 0;                // offsets, since the process began
  std::vector<WindowStatus> windows;    // committed since then, newest first, the last few
  double records_per_second = 0;        // committed, over the last minutes
  double bytes_per_second = 0;          // stored, likewise
  std::string last_fault;               // of a call that was repeated; empty: none
  std::optional<Micros> last_fault_at;  // this machine's clock
};

struct LakeStatus {
  std::string version;
  std::string sink;
  std::string instance;
  std::string bucket;  // bucket, endpoint and prefix, in words
  Micros now;          // this machine's clock
  Micros started_at;
  Micros newest_safe_time = kMinusInfinity;
  std::int64_t memory_bytes = 0;    // the budget
  std::vector<QueueStatus> queues;  // by name

  std::int64_t buffered_bytes() const {
    std::int64_t bytes = 0;
    for (const auto& queue : queues) bytes += queue.buffered_bytes;
    return bytes;
  }
};

}  // namespace tidemark::lake

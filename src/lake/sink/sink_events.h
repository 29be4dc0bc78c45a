#pragma once
// What a sink tells about its work: metrics, health, log lines (queen-interface 13).

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "lake/commit/commit_window.h"

namespace tidemark::lake {

struct SinkProgress {
  Micros newest_safe_time = kMinusInfinity;
  Micros committed_end = kMinusInfinity;
  Micros complete_through = kMinusInfinity;
  Micros guarded_safe_time = kMinusInfinity;  // of the last complete pass
  std::int64_t passes = 0;                    // complete ones, of this life of the sink
  std::int64_t committed_k = 0;
  std::int64_t lanes = 0;
  std::int64_t buffered_bytes = 0;
  std::int64_t committing_bytes = 0;  // of the window being written
  std::int64_t checkpoint_age_windows = 0;
};

// Loop thread; every call returns at once.
class SinkEvents {
 public:
  virtual ~SinkEvents() = default;

  virtual void OnProgress(const std::string& queue, const SinkProgress& progress) = 0;
  virtual void OnCommitted(const std::string& queue, const CommittedWindow& window) = 0;
  virtual void OnFetch(const std::string& queue, bool ok) = 0;
  virtual void OnDiscoveryPage(const std::string& queue,
                               std::int64_t partitions,
                               bool degraded) = 0;
  // A partition was found deleted and created anew.
  virtual void OnRecreated(const std::string& queue, const std::string& partition) = 0;
  // A call failed for a passing reason; the sink goes on. The first word of `what` is its kind.
  virtual void OnFault(const std::string& queue, std::string_view what, const Error& error) = 0;
};

}  // namespace tidemark::lake

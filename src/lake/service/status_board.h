#pragma once
// Where every queue stands, kept from what its sink tells. Written by the loop, read by the
// listener.

#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "io/clock.h"
#include "lake/service/lake_status.h"
#include "lake/service/rate_window.h"
#include "lake/sink/sink_events.h"

namespace tidemark::lake {

// What does not change while a process runs.
struct BoardOptions {
  std::string version;
  std::string sink;
  std::string instance;
  std::string bucket;
  std::int64_t memory_bytes = 0;
};

// Thread-safe; clock and health outlive it.
class StatusBoard {
 public:
  static constexpr std::size_t kWindowsKept = 5;

  StatusBoard(const io::Clock& clock, const obs::Health& health, BoardOptions options);

  void OnTracked(const std::string& queue);
  void OnProgress(const std::string& queue, const SinkProgress& progress, double lag_seconds);
  void OnCommitted(const std::string& queue, const format::Manifest& manifest);
  void OnFault(const std::string& queue, std::string_view what, const Error& error);
  void OnHeldByOther(const std::string& queue, std::string_view holder);
  void OnStopped(const std::string& queue, std::string_view reason);

  LakeStatus Snapshot() const;

 private:
  struct Queue {
    QueueStatus status;
    RateWindow records;
    RateWindow bytes;
  };

  // Of `queue`; the mutex is held.
  Queue& At(const std::string& queue);

  const io::Clock& clock_;
  const obs::Health& health_;
  const BoardOptions options_;
  const Micros started_at_;
  mutable std::mutex mutex_;
  Micros newest_safe_time_ = kMinusInfinity;
  std::map<std::string, Queue> queues_;
};

}  // namespace tidemark::lake

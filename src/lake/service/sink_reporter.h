#pragma once
// A sink's events as metrics, health, log lines (queen-interface 13) and on the status board. One
// for all queues of a process.

#include <cstdint>
#include <string>
#include <unordered_map>

#include "lake/service/status_board.h"
#include "lake/sink/sink_events.h"
#include "obs/health.h"
#include "obs/log.h"
#include "obs/metrics.h"

namespace tidemark::lake {

// Loop thread; everything borrowed outlives it.
class SinkReporter final : public SinkEvents {
 public:
  SinkReporter(obs::Metrics& metrics,
               obs::Health& health,
               obs::Log& log,
               StatusBoard& board,
               const io::Clock& clock);

  void OnProgress(const std::string& queue, const SinkProgress& progress) override;
  void OnCommitted(const std::string& queue, const CommittedWindow& window) override;
  void OnFetch(const std::string& queue, bool ok) override;
  void OnDiscoveryPage(const std::string& queue, std::int64_t partitions, bool degraded) override;
  void OnRecreated(const std::string& queue, const std::string& partition) override;
  void OnFault(const std::string& queue, std::string_view what, const Error& error) override;

 private:
  // Of one queue. An idle queue reports every few seconds, and there may be thousands: the series
  // it writes are found once.
  struct Queue {
    Queue(obs::Metrics& metrics, const std::string& name);

    SinkProgress last;
    bool degraded_logged = false;
    obs::Gauge lag_seconds;
    obs::Gauge complete_through_seconds;
    obs::Gauge checkpoint_age_windows;
    obs::Gauge discovery_partitions;
    obs::Counter fetches;
    obs::Counter failed_fetches;
  };

  Queue& At(const std::string& name);

  obs::Metrics& metrics_;
  obs::Health& health_;
  obs::Log& log_;
  StatusBoard& board_;
  const io::Clock& clock_;
  const obs::Gauge safe_lag_seconds_;
  const obs::Gauge buffer_bytes_;
  std::unordered_map<std::string, Queue> queues_;
  std::int64_t buffered_bytes_ = 0;  // of all queues
};

}  // namespace tidemark::lake

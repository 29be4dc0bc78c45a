#pragma once
// A sink's events as metrics, health, log lines (queen-interface 13) and on the status board. One
// for all queues of a process.

#include <map>
#include <set>
#include <string>

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
               const io::Clock& clock)
      : metrics_(metrics), health_(health), log_(log), board_(board), clock_(clock) {}

  void OnProgress(const std::string& queue, const SinkProgress& progress) override;
  void OnCommitted(const std::string& queue, const CommittedWindow& window) override;
  void OnFetch(const std::string& queue, bool ok) override;
  void OnDiscoveryPage(const std::string& queue, std::int64_t partitions, bool degraded) override;
  void OnRecreated(const std::string& queue, const std::string& partition) override;
  void OnFault(const std::string& queue, std::string_view what, const Error& error) override;

 private:
  obs::Metrics& metrics_;
  obs::Health& health_;
  obs::Log& log_;
  StatusBoard& board_;
  const io::Clock& clock_;
  std::map<std::string, SinkProgress> last_;
  std::int64_t buffered_bytes_ = 0;  // of all queues
  std::set<std::string> degraded_logged_;
};

}  // namespace tidemark::lake

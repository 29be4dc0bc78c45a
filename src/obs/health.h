#pragma once
// What /healthz says (queen-interface 13.2 and the decision on health): a queue is well as long as
// the lake keeps up with its log, so an idle queue stays green.

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "io/clock.h"

namespace tidemark::obs {

struct HealthAnswer {
  int status = 200;  // or 503
  std::string body;  // one line of JSON, application/json
};

// A queue that stands still.
struct Stale {
  std::string queue;
  std::int64_t stale_ms = 0;
  std::int64_t limit_ms = 0;
};

// Thread-safe. `clock` outlives it.
class Health {
 public:
  // A queue is stale after max(3 x max window, 30 s) without progress.
  Health(const io::Clock& clock, std::int64_t max_window_ms);

  // Counts the queue; it is well until it began, reported or failed once and then stood still.
  void Track(std::string_view queue);

  // The queue is served, and nothing is known of it so far. Of one that never reported this is
  // where standing still begins.
  void Begin(std::string_view queue);

  // Something of the queue failed; counts like its beginning.
  void Fail(std::string_view queue) { Begin(queue); }

  // Where the queue's lake stands. Progress is: `complete_through` moved up, or it has reached
  // `guarded_safe_time`, beyond which nothing can be complete. That must be what the broker says
  // now: kPlusInfinity where it has said nothing since the last report.
  void Report(std::string_view queue, Micros complete_through, Micros guarded_safe_time);

  // A queue that was given up, or is another instance's.
  void Forget(std::string_view queue);

  // Every queue that stands still, by name.
  std::vector<Stale> StaleQueues() const;

  // 200 {"ok":true,"queues":n}, or 503 with the first stale queue by name, how long it has stood
  // still, the limit.
  HealthAnswer Check() const;

 private:
  struct Progress {
    Micros complete_through = kMinusInfinity;
    // Wall clock of the last progress, of the beginning before any; kMinusInfinity: neither yet.
    Micros seen_at = kMinusInfinity;
  };

  const io::Clock& clock_;
  const std::int64_t limit_ms_;
  mutable std::mutex mutex_;
  std::map<std::string, Progress, std::less<>> queues_;
};

}  // namespace tidemark::obs

#pragma once
// A periodic wake-up of which there may be thousands: all of one interval fall on the same few
// moments, so that the loop wakes up once for many of them.

#include "io/async.h"

namespace tidemark::io {

// Loop thread. `loop` outlives it.
class Ticks {
 public:
  // Moments of one interval per interval. An interval that is no multiple of it is rounded up.
  static constexpr int kMoments = 20;

  Ticks(Loop& loop, Duration interval)
      : loop_(loop), interval_(interval), grain_(interval / kMoments), next_(loop.Now()) {}

  // Waits for the next tick: one interval after the last one, or, when that has passed or there was
  // none, one interval from now; up to a moment later. False when `stop` was requested meanwhile.
  Task<bool> Next(std::stop_token stop);

 private:
  Loop& loop_;
  const Duration interval_;
  const Duration grain_;
  Duration next_;
};

}  // namespace tidemark::io

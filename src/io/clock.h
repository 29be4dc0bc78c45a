#pragma once
// The wall clock, for what may depend on it: log lines, `committedAt`, request signatures, health.
// Never for windows.

#include "base/time.h"

namespace tidemark::io {

class Clock {
 public:
  virtual ~Clock() = default;
  // Any thread. May step backwards.
  virtual Micros Now() const = 0;
};

// CLOCK_REALTIME.
class SystemClock final : public Clock {
 public:
  Micros Now() const override;
};

// Stands where it is put; for tests.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(Micros now) : now_(now) {}

  Micros Now() const override { return now_; }

  void Set(Micros now) { now_ = now; }

 private:
  Micros now_;
};

}  // namespace tidemark::io

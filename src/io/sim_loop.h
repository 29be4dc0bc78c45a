#pragma once
// A Loop in virtual time, for tests: when nothing is left to run it jumps to the next timer, so an
// hour of waiting costs nothing and every run with the same inputs is the same.

#include <deque>
#include <map>
#include <mutex>

#include "io/loop.h"

namespace tidemark::io {

// Post may be called from any thread; everything else from the thread that runs it.
class SimLoop final : public Loop {
 public:
  void Post(Callback callback) override;
  TimerId Schedule(Duration delay, Callback callback) override;
  void Cancel(TimerId id) override;

  Duration Now() const override { return now_; }

  // Runs until Stop() or until nothing is left: no callback, no timer.
  void Run() override;

  void Stop() override { stopped_ = true; }

  // Runs everything due up to `deadline` (virtual time since the start) and leaves the clock there.
  void RunUntil(Duration deadline);

 private:
  // Runs one callback or jumps to one timer at or before `deadline`; false when there is neither.
  bool Step(Duration deadline);

  std::mutex mutex_;  // guards posted_
  std::deque<Callback> posted_;
  std::map<std::pair<Duration, TimerId>, Callback> timers_;
  Duration now_{0};
  TimerId last_timer_ = 0;
  bool stopped_ = false;
};

}  // namespace tidemark::io

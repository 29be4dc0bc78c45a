#pragma once
// The thread that everything asynchronous runs on, as an interface: ThreadLoop for programs,
// SimLoop (io/sim_loop.h) for tests in virtual time. Engines, commits, leases and HTTP answers of
// all queues share one loop.

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>

namespace tidemark::io {

using Duration = std::chrono::nanoseconds;

class Loop {
 public:
  using Callback = std::move_only_function<void()>;
  using TimerId = std::uint64_t;

  virtual ~Loop() = default;

  // Runs `callback` on the loop's thread, after everything posted before it. Any thread.
  virtual void Post(Callback callback) = 0;

  // Runs `callback` once, `delay` from now at the earliest. Loop thread only; never fires after
  // Cancel.
  virtual TimerId Schedule(Duration delay, Callback callback) = 0;
  virtual void Cancel(TimerId id) = 0;

  // Time since boot, suspend included (CLOCK_BOOTTIME): only differences mean anything. Any thread.
  virtual Duration Now() const = 0;

  // Serves until Stop(); then returns, with unrun callbacks destroyed unrun. Once per loop.
  virtual void Run() = 0;
  virtual void Stop() = 0;
};

std::unique_ptr<Loop> NewThreadLoop();

}  // namespace tidemark::io

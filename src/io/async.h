#pragma once
// What coroutines on one loop need to wait for each other. Single-threaded: everything here belongs
// to the loop's thread, except where a comment says otherwise.

#include <coroutine>
#include <deque>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

#include "io/loop.h"
#include "io/task.h"

namespace tidemark::io {

// Starts `task` and lets it run by itself; its frame frees itself at the end.
void Spawn(Loop& loop, Task<void> task);

// Waits. Ends early when `stop` is requested (from any thread); returns true when the whole delay
// passed.
Task<bool> Sleep(Loop& loop, Duration delay, std::stop_token stop);

// Comes back through the loop, after everything already posted: `const Yield pause{loop}; co_await
// pause;`. What answers at once needs it: a coroutine resumed in place grows its caller's stack.
struct Yield {
  Loop& loop;

  bool await_ready() const noexcept { return false; }

  void await_suspend(std::coroutine_handle<> waiter) const {
    loop.Post([waiter] { waiter.resume(); });
  }

  void await_resume() const noexcept {}
};

// A wake-up that is not lost: Notify before Wait makes the next Wait return at once. One waiter at
// a time.
class Signal {
 public:
  explicit Signal(Loop& loop) : loop_(loop) {}

  void Notify();

  bool await_ready() noexcept { return std::exchange(notified_, false); }

  void await_suspend(std::coroutine_handle<> waiter) noexcept { waiter_ = waiter; }

  void await_resume() noexcept { notified_ = false; }

 private:
  Loop& loop_;
  std::coroutine_handle<> waiter_;
  bool notified_ = false;
};

// Mutual exclusion between coroutines, first come first served. `auto guard = co_await
// mutex.Lock();`
class AsyncMutex {
 public:
  explicit AsyncMutex(Loop& loop) : loop_(loop) {}

  class Guard {
   public:
    explicit Guard(AsyncMutex& mutex) : mutex_(&mutex) {}

    Guard(Guard&& other) noexcept : mutex_(std::exchange(other.mutex_, nullptr)) {}

    Guard& operator=(Guard&&) = delete;

    ~Guard() {
      if (mutex_ != nullptr) mutex_->Unlock();
    }

   private:
    AsyncMutex* mutex_;
  };

  Task<Guard> Lock();

 private:
  struct Waiter {
    AsyncMutex& mutex;

    bool await_ready() noexcept { return !std::exchange(mutex.locked_, true); }

    void await_suspend(std::coroutine_handle<> h) { mutex.waiters_.push_back(h); }

    void await_resume() noexcept {}
  };

  void Unlock();

  Loop& loop_;
  bool locked_ = false;
  std::deque<std::coroutine_handle<>> waiters_;
};

// Tasks that run side by side and are waited for together. Join before destruction.
class TaskGroup {
 public:
  explicit TaskGroup(Loop& loop) : loop_(loop), changed_(loop) {}

  ~TaskGroup();

  void Add(Task<void> task);

  std::size_t running() const { return running_; }

  // Returns when fewer than `limit` (> 0) tasks run. One waiter at a time.
  Task<void> WaitBelow(std::size_t limit);

  Task<void> Join() { return WaitBelow(1); }

 private:
  Task<void> RunOne(Task<void> task);

  Loop& loop_;
  Signal changed_;
  std::size_t running_ = 0;
};

}  // namespace tidemark::io

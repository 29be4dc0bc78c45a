#include "io/async.h"

#include <memory>

#include "base/check.h"

namespace tidemark::io {

namespace {

// A coroutine that owns itself: what Spawn runs a Task inside of.
struct Detached {
  struct promise_type {
    Detached get_return_object() noexcept {
      return {std::coroutine_handle<promise_type>::from_promise(*this)};
    }

    std::suspend_always initial_suspend() const noexcept { return {}; }

    std::suspend_never final_suspend() const noexcept { return {}; }

    void return_void() const noexcept {}

    void unhandled_exception() const noexcept { std::terminate(); }
  };

  std::coroutine_handle<promise_type> handle;
};

Detached RunDetached(Task<void> task) { co_await task; }

// One sleep; resumed exactly once, by the timer or by the stop request, always on the loop.
struct SleepState {
  Loop& loop;
  std::coroutine_handle<> waiter;
  Loop::TimerId timer = 0;
  bool done = false;
  bool elapsed = false;

  void Finish(bool whole_delay) {
    if (std::exchange(done, true)) return;
    elapsed = whole_delay;
    if (!whole_delay) loop.Cancel(timer);
    waiter.resume();
  }
};

struct WakeOnStop {
  std::shared_ptr<SleepState> state;

  void operator()() const {
    state->loop.Post([state = state] { state->Finish(false); });
  }
};

struct SleepAwaiter {
  std::shared_ptr<SleepState> state;
  Duration delay;
  std::stop_token stop;
  std::optional<std::stop_callback<WakeOnStop>> on_stop = std::nullopt;

  bool await_ready() const noexcept { return stop.stop_requested(); }

  void await_suspend(std::coroutine_handle<> h) {
    state->waiter = h;
    state->timer = state->loop.Schedule(delay, [s = state] { s->Finish(true); });
    on_stop.emplace(stop, WakeOnStop{state});
  }

  bool await_resume() const noexcept { return state->elapsed; }
};

}  // namespace

void Spawn(Loop& loop, Task<void> task) {
  const auto handle = RunDetached(std::move(task)).handle;
  loop.Post([handle] { handle.resume(); });
}

Task<bool> Sleep(Loop& loop, Duration delay, std::stop_token stop) {
  SleepAwaiter awaiter{
      .state = std::make_shared<SleepState>(SleepState{.loop = loop, .waiter = {}}),
      .delay = delay,
      .stop = std::move(stop)};
  co_return co_await awaiter;
}

void Signal::Notify() {
  notified_ = true;
  if (!waiter_) return;
  loop_.Post([waiter = std::exchange(waiter_, nullptr)] { waiter.resume(); });
}

Task<AsyncMutex::Guard> AsyncMutex::Lock() {
  Waiter waiter{*this};
  co_await waiter;
  co_return Guard(*this);
}

void AsyncMutex::Unlock() {
  if (waiters_.empty()) {
    locked_ = false;
    return;
  }
  loop_.Post([next = waiters_.front()] { next.resume(); });
  waiters_.pop_front();
}

TaskGroup::~TaskGroup() { TIDEMARK_CHECK(running_ == 0, "{} tasks not joined", running_); }

void TaskGroup::Add(Task<void> task) {
  ++running_;
  Spawn(loop_, RunOne(std::move(task)));
}

Task<void> TaskGroup::RunOne(Task<void> task) {
  co_await task;
  --running_;
  changed_.Notify();
}

Task<void> TaskGroup::WaitBelow(std::size_t limit) {
  while (running_ >= limit) co_await changed_;
}

}  // namespace tidemark::io

#pragma once
// Threads for work that would hold up the loop: encoding, compression, files, SQLite.

#include <coroutine>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "io/loop.h"
#include "io/task.h"

namespace tidemark::io {

class WorkerPool {
 public:
  using Job = std::move_only_function<void()>;

  virtual ~WorkerPool() = default;
  // Runs `job` on some worker thread. Any thread; jobs start in the order given.
  virtual void Execute(Job job) = 0;
};

// `threads` workers (> 0). Destruction finishes the jobs already given.
std::unique_ptr<WorkerPool> NewWorkerPool(int threads);

// Runs each job as a callback of `loop`: no threads, so simulations stay deterministic.
std::unique_ptr<WorkerPool> NewInlinePool(Loop& loop);

namespace internal {

template <typename F, typename R>
struct OnWorker {
  Loop& loop;
  WorkerPool& pool;
  F& work;
  std::optional<R> result = std::nullopt;

  bool await_ready() const noexcept { return false; }

  void await_suspend(std::coroutine_handle<> waiter) {
    pool.Execute([this, waiter] {
      result.emplace(work());
      loop.Post([waiter] { waiter.resume(); });
    });
  }

  R await_resume() { return std::move(*result); }
};

}  // namespace internal

// Runs `work` (returns a value, not void) on `pool` and comes back to the loop with its result.
template <typename F, typename R = std::invoke_result_t<F&>>
Task<R> RunOn(Loop& loop, WorkerPool& pool, F work) {
  internal::OnWorker<F, R> job{loop, pool, work};
  co_return co_await job;
}

}  // namespace tidemark::io

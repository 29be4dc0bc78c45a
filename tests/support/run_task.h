#pragma once
// Runs one coroutine to its end and hands out its value, from a test's ordinary code.

#include <future>
#include <memory>
#include <optional>
#include <thread>

#include "base/check.h"
#include "io/async.h"
#include "io/loop.h"
#include "io/sim_loop.h"

namespace tidemark::test {

namespace internal {

template <typename T>
io::Task<void> Keep(io::Task<T> task, std::optional<T>& kept) {
  kept.emplace(co_await task);
}

template <typename T>
io::Task<void> Fulfil(io::Task<T> task, std::promise<T>& promise) {
  promise.set_value(co_await task);
}

}  // namespace internal

// In virtual time, until nothing is left to do. Ends the process when the task waits for something
// that never comes.
template <typename T>
T RunTask(io::SimLoop& loop, io::Task<T> task) {
  std::optional<T> kept;
  io::Spawn(loop, internal::Keep(std::move(task), kept));
  loop.Run();
  TIDEMARK_CHECK(kept.has_value(), "the task did not end");
  return std::move(*kept);
}

// A real loop on a thread of its own, for tests of what uses sockets or worker threads.
class LoopThread {
 public:
  LoopThread() : loop_(io::NewThreadLoop()), thread_([this] { loop_->Run(); }) {}

  ~LoopThread() { loop_->Stop(); }

  io::Loop& loop() { return *loop_; }

  // Any thread but the loop's. What is created on the loop's thread only must be created inside a
  // task.
  template <typename T>
  T Run(io::Task<T> task) {
    std::promise<T> promise;
    auto value = promise.get_future();
    io::Spawn(*loop_, internal::Fulfil(std::move(task), promise));
    return value.get();
  }

 private:
  std::unique_ptr<io::Loop> loop_;
  std::jthread thread_;
};

}  // namespace tidemark::test

#pragma once
// SIGTERM and SIGINT as a stop token: the first asks for a drain, the second ends the process at
// once.

#include <stop_token>
#include <thread>

namespace tidemark::io {

// Create before any other thread, so that all threads inherit the blocked signals. One per process.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  // Requested by the first signal; callbacks run on a thread of its own.
  std::stop_token token() const { return source_.get_token(); }

  // Blocks until the first signal.
  void AwaitStop() const;

 private:
  void Wait();

  std::stop_source source_;
  std::jthread waiter_;
};

}  // namespace tidemark::io

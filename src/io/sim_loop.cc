#include "io/sim_loop.h"

namespace tidemark::io {

void SimLoop::Post(Callback callback) {
  const std::lock_guard lock(mutex_);
  posted_.push_back(std::move(callback));
}

Loop::TimerId SimLoop::Schedule(Duration delay, Callback callback) {
  timers_.emplace(std::pair(now_ + delay, ++last_timer_), std::move(callback));
  return last_timer_;
}

void SimLoop::Cancel(TimerId id) {
  std::erase_if(timers_, [id](const auto& timer) { return timer.first.second == id; });
}

void SimLoop::Run() {
  while (!stopped_ && Step(Duration::max())) {
  }
}

void SimLoop::RunUntil(Duration deadline) {
  while (!stopped_ && Step(deadline)) {
  }
  now_ = std::max(now_, deadline);
}

bool SimLoop::Step(Duration deadline) {
  Callback next;
  {
    const std::lock_guard lock(mutex_);
    if (!posted_.empty()) {
      next = std::move(posted_.front());
      posted_.pop_front();
    }
  }
  if (!next) {
    if (timers_.empty() || timers_.begin()->first.first > deadline) return false;
    now_ = std::max(now_, timers_.begin()->first.first);
    next = std::move(timers_.begin()->second);
    timers_.erase(timers_.begin());
  }
  next();
  return true;
}

}  // namespace tidemark::io

#include "io/loop.h"

#include <condition_variable>
#include <ctime>
#include <deque>
#include <map>
#include <mutex>
#include <unordered_map>

namespace tidemark::io {

namespace {

Duration BootTime() {
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

// Timers belong to the loop thread alone; only `posted_` and `stopped_` are shared.
class ThreadLoop final : public Loop {
 public:
  void Post(Callback callback) override {
    const std::lock_guard lock(mutex_);
    posted_.push_back(std::move(callback));
    wake_.notify_one();
  }

  TimerId Schedule(Duration delay, Callback callback) override {
    const TimerId id = ++last_timer_;
    const auto at = timers_.emplace(Now() + delay, std::pair(id, std::move(callback)));
    timer_at_.emplace(id, at);
    return id;
  }

  void Cancel(TimerId id) override {
    const auto found = timer_at_.find(id);
    if (found == timer_at_.end()) return;
    timers_.erase(found->second);
    timer_at_.erase(found);
  }

  Duration Now() const override { return BootTime(); }

  void Run() override {
    while (true) {
      std::deque<Callback> ready;
      if (!WaitForWork(ready)) return;
      for (auto& callback : ready) callback();
      FireTimers();
    }
  }

  void Stop() override {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    wake_.notify_one();
  }

 private:
  using Timers = std::multimap<Duration, std::pair<TimerId, Callback>>;

  // False when stopped.
  bool WaitForWork(std::deque<Callback>& ready) {
    std::unique_lock lock(mutex_);
    const auto has_work = [this] { return stopped_ || !posted_.empty(); };
    if (timers_.empty()) {
      wake_.wait(lock, has_work);
    } else {
      wake_.wait_for(lock, timers_.begin()->first - Now(), has_work);
    }
    ready.swap(posted_);
    return !stopped_;
  }

  void FireTimers() {
    while (!timers_.empty() && timers_.begin()->first <= Now()) {
      auto [id, callback] = std::move(timers_.begin()->second);
      timers_.erase(timers_.begin());
      timer_at_.erase(id);
      callback();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Callback> posted_;
  bool stopped_ = false;

  Timers timers_;
  std::unordered_map<TimerId, Timers::iterator> timer_at_;
  TimerId last_timer_ = 0;
};

}  // namespace

std::unique_ptr<Loop> NewThreadLoop() { return std::make_unique<ThreadLoop>(); }

}  // namespace tidemark::io

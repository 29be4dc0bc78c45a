#pragma once
// The loop of one process among several in virtual time: while it is frozen (SIGSTOP) nothing of it
// runs, but its clock goes on, and what arrived meanwhile runs when it thaws.

#include <algorithm>
#include <deque>
#include <map>
#include <utility>

#include "io/loop.h"

namespace tidemark::testing {

// `inner` outlives it and drives it.
class FreezableLoop final : public io::Loop {
 public:
  explicit FreezableLoop(io::Loop& inner) : inner_(inner) {}

  void Freeze() { frozen_ = true; }

  void Thaw() {
    frozen_ = false;
    inner_.Post([this] {
      while (!frozen_ && !held_.empty()) {
        Callback next = std::move(held_.front().second);
        held_.pop_front();
        next();
      }
    });
  }

  bool frozen() const { return frozen_; }

  void Post(Callback callback) override {
    inner_.Post([this, callback = std::move(callback)]() mutable { Arrive(0, callback); });
  }

  TimerId Schedule(io::Duration delay, Callback callback) override {
    const TimerId id = ++last_timer_;
    auto fire = [this, id, callback = std::move(callback)]() mutable {
      timers_.erase(id);
      Arrive(id, callback);
    };
    timers_[id] = inner_.Schedule(delay, std::move(fire));
    return id;
  }

  void Cancel(TimerId id) override {
    std::erase_if(held_, [id](const auto& held) { return held.first == id; });
    const auto timer = timers_.find(id);
    if (timer == timers_.end()) return;
    inner_.Cancel(timer->second);
    timers_.erase(timer);
  }

  io::Duration Now() const override { return inner_.Now(); }

  void Run() override { inner_.Run(); }

  void Stop() override { inner_.Stop(); }

 private:
  void Arrive(TimerId timer, Callback& callback) {
    if (frozen_ || !held_.empty()) {
      held_.emplace_back(timer, std::move(callback));
    } else {
      callback();
    }
  }

  io::Loop& inner_;
  bool frozen_ = false;
  TimerId last_timer_ = 0;
  std::map<TimerId, TimerId> timers_;              // ours → inner's
  std::deque<std::pair<TimerId, Callback>> held_;  // timer (0: posted) and what it runs
};

}  // namespace tidemark::testing

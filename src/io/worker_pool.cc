#include "io/worker_pool.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

namespace tidemark::io {

namespace {

class ThreadPool final : public WorkerPool {
 public:
  explicit ThreadPool(int threads) {
    for (int i = 0; i < threads; ++i) workers_.emplace_back([this] { Work(); });
  }

  ~ThreadPool() override {
    {
      const std::lock_guard lock(mutex_);
      closing_ = true;
    }
    wake_.notify_all();
  }

  void Execute(Job job) override {
    {
      const std::lock_guard lock(mutex_);
      jobs_.push_back(std::move(job));
    }
    wake_.notify_one();
  }

 private:
  void Work() {
    std::unique_lock lock(mutex_);
    while (true) {
      wake_.wait(lock, [this] { return closing_ || !jobs_.empty(); });
      if (jobs_.empty()) return;
      Job job = std::move(jobs_.front());
      jobs_.pop_front();
      lock.unlock();
      job();
      job = nullptr;
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Job> jobs_;
  bool closing_ = false;
  std::vector<std::jthread> workers_;  // last: joined before the members above go
};

class InlinePool final : public WorkerPool {
 public:
  explicit InlinePool(Loop& loop) : loop_(loop) {}

  void Execute(Job job) override { loop_.Post(std::move(job)); }

 private:
  Loop& loop_;
};

}  // namespace

std::unique_ptr<WorkerPool> NewWorkerPool(int threads) {
  return std::make_unique<ThreadPool>(threads);
}

std::unique_ptr<WorkerPool> NewInlinePool(Loop& loop) { return std::make_unique<InlinePool>(loop); }

}  // namespace tidemark::io

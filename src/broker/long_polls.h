#pragma once
// Fetches that wait for records. A parked poll is an entry in a table and a timer: it holds no
// thread. All state belongs to the loop's thread; the public calls may be made from any.

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "broker/catalog.h"
#include "broker/log_writer.h"
#include "io/loop.h"

namespace tidemark::broker {

class LongPolls {
 public:
  // Called once, on the loop's thread: time to fetch again and answer with what is there.
  using Resume = std::move_only_function<void()>;

  struct Poll {
    std::vector<PartitionRef> lanes;
    std::vector<std::int64_t> seen;  // per lane: the payload_total that `ready` accounts for
    std::int64_t ready = 0;          // payload bytes found so far
    std::int64_t wanted = 1;
    io::Duration wait{};
    Resume resume;
  };

  // Both outlive this; the loop has stopped, or runs no callback any more, when this is destroyed.
  LongPolls(io::Loop& loop, const Catalog& catalog) : loop_(loop), catalog_(catalog) {}

  // Resumed when `wanted` bytes are ready, when a lane's queue is gone, after `wait`, or at Drain:
  // whichever is first. What was appended since `seen` was read is counted, so nothing slips in
  // between.
  void Park(Poll poll);

  void OnNews(std::vector<LaneNews> news);
  void OnQueueRemoved(std::string queue);

  // Resumes all, now and from now on.
  void Drain();

  std::size_t parked() const { return parked_.load(); }

 private:
  using LaneKey = std::pair<std::string, std::string>;

  struct Parked {
    Poll poll;
    io::Loop::TimerId timer = 0;
  };

  using Id = std::uint64_t;

  void Register(Poll poll);
  void Count(const LaneNews& news);
  void ResumeNow(Id id);

  io::Loop& loop_;
  const Catalog& catalog_;
  // Counted from Park on, so that news are dropped only when nobody can be waiting for them.
  std::atomic<std::size_t> parked_ = 0;

  bool draining_ = false;
  Id next_id_ = 1;
  std::map<Id, Parked> polls_;
  // Which polls wait for a lane, and as which of their entries.
  std::map<LaneKey, std::vector<std::pair<Id, std::size_t>>> waiting_;
};

}  // namespace tidemark::broker

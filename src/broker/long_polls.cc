#include "broker/long_polls.h"

#include <algorithm>

namespace tidemark::broker {

void LongPolls::Park(Poll poll) {
  ++parked_;
  loop_.Post([this, poll = std::move(poll)]() mutable { Register(std::move(poll)); });
}

void LongPolls::Register(Poll poll) {
  const std::vector<Lane> lanes = catalog_.Look(poll.lanes);
  bool due = draining_;
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    due |= !lanes[i].queue_known;
    poll.ready += std::max<std::int64_t>(0, lanes[i].state.payload_total - poll.seen[i]);
    poll.seen[i] = lanes[i].state.payload_total;
  }
  if (due || poll.ready >= poll.wanted) {
    --parked_;
    return poll.resume();
  }
  const Id id = next_id_++;
  for (std::size_t i = 0; i < poll.lanes.size(); ++i) {
    waiting_[{poll.lanes[i].queue, poll.lanes[i].partition}].emplace_back(id, i);
  }
  const io::Duration wait = poll.wait;
  Parked& parked = polls_.emplace(id, Parked{.poll = std::move(poll)}).first->second;
  parked.timer = loop_.Schedule(wait, [this, id] { ResumeNow(id); });
}

void LongPolls::OnNews(std::vector<LaneNews> news) {
  if (parked_.load() == 0) return;
  loop_.Post([this, news = std::move(news)] {
    for (const LaneNews& lane : news) Count(lane);
  });
}

void LongPolls::Count(const LaneNews& news) {
  const auto waiting = waiting_.find({news.queue, news.partition});
  if (waiting == waiting_.end()) return;
  std::vector<Id> due;
  for (const auto& [id, index] : waiting->second) {
    Poll& poll = polls_.at(id).poll;
    poll.ready += std::max<std::int64_t>(0, news.payload_total - poll.seen[index]);
    poll.seen[index] = std::max(poll.seen[index], news.payload_total);
    if (poll.ready >= poll.wanted) due.push_back(id);
  }
  for (const Id id : due) ResumeNow(id);
}

void LongPolls::OnQueueRemoved(std::string queue) {
  if (parked_.load() == 0) return;
  loop_.Post([this, queue = std::move(queue)] {
    std::vector<Id> due;
    for (auto it = waiting_.lower_bound({queue, std::string()});
         it != waiting_.end() && it->first.first == queue;
         ++it) {
      for (const auto& [id, index] : it->second) due.push_back(id);
    }
    for (const Id id : due) ResumeNow(id);
  });
}

void LongPolls::Drain() {
  loop_.Post([this] {
    draining_ = true;
    while (!polls_.empty()) ResumeNow(polls_.begin()->first);
  });
}

// Does nothing for a poll that was resumed already: one may be due for several reasons at once.
void LongPolls::ResumeNow(Id id) {
  const auto found = polls_.find(id);
  if (found == polls_.end()) return;
  Parked parked = std::move(found->second);
  polls_.erase(found);
  loop_.Cancel(parked.timer);
  for (const PartitionRef& lane : parked.poll.lanes) {
    const auto waiting = waiting_.find({lane.queue, lane.partition});
    if (waiting == waiting_.end()) continue;
    std::erase_if(waiting->second, [id](const auto& waiter) { return waiter.first == id; });
    if (waiting->second.empty()) waiting_.erase(waiting);
  }
  --parked_;
  parked.poll.resume();
}

}  // namespace tidemark::broker

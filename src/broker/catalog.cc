#include "broker/catalog.h"

#include "base/check.h"

namespace tidemark::broker {

std::vector<Lane> Catalog::Look(const std::vector<PartitionRef>& refs) const {
  std::vector<Lane> lanes(refs.size());
  const std::shared_lock lock(mutex_);
  for (std::size_t i = 0; i < refs.size(); ++i) {
    const auto queue = queues_.find(refs[i].queue);
    if (queue == queues_.end()) continue;
    lanes[i].queue_known = true;
    const auto partition = queue->second.partitions.find(refs[i].partition);
    if (partition == queue->second.partitions.end()) continue;
    lanes[i].partition = partition->second->id;
    lanes[i].state = partition->second->state;
  }
  return lanes;
}

std::optional<std::vector<ListedPartition>> Catalog::PageByName(
    std::string_view queue, const std::optional<DiscoveryCursor>& after, std::size_t limit) const {
  const std::shared_lock lock(mutex_);
  const auto found = queues_.find(queue);
  if (found == queues_.end()) return std::nullopt;
  const auto& partitions = found->second.partitions;
  std::vector<ListedPartition> page;
  for (auto it = after ? partitions.upper_bound(after->name) : partitions.begin();
       it != partitions.end() && page.size() < limit;
       ++it) {
    page.push_back({it->first, it->second->state});
  }
  return page;
}

std::optional<std::vector<ListedPartition>> Catalog::PageByWriteTime(
    std::string_view queue,
    Micros since,
    const std::optional<DiscoveryCursor>& after,
    std::size_t limit) const {
  const std::shared_lock lock(mutex_);
  const auto found = queues_.find(queue);
  if (found == queues_.end()) return std::nullopt;
  const auto& order = found->second.by_write_time;
  auto it = order.lower_bound({since, std::string_view()});
  if (after && after->last_write_at >= since) {
    it = order.upper_bound({after->last_write_at, after->name});
  }
  std::vector<ListedPartition> page;
  for (; it != order.end() && page.size() < limit; ++it) {
    const auto partition = found->second.partitions.find(it->second);
    page.push_back({partition->first, partition->second->state});
  }
  return page;
}

std::vector<Catalog::QueueSummary> Catalog::Queues() const {
  const std::shared_lock lock(mutex_);
  std::vector<QueueSummary> summaries;
  summaries.reserve(queues_.size());
  for (const auto& [name, queue] : queues_) {
    summaries.push_back({name, queue.options, queue.partitions.size()});
  }
  return summaries;
}

const Catalog::Queue* Catalog::FindQueue(std::string_view name) const {
  const auto found = queues_.find(name);
  return found == queues_.end() ? nullptr : &found->second;
}

const Partition* Catalog::Find(std::string_view queue, std::string_view partition) const {
  const Queue* const owner = FindQueue(queue);
  if (owner == nullptr) return nullptr;
  const auto found = owner->partitions.find(partition);
  return found == owner->partitions.end() ? nullptr : found->second.get();
}

void Catalog::Update::PutQueue(const std::string& name, QueueId id, QueueOptions options) {
  Queue& queue = catalog_.queues_[name];
  queue.id = id;
  queue.options = std::move(options);
}

void Catalog::Update::PutPartition(const Partition& partition) {
  const auto queue = catalog_.queues_.find(partition.queue);
  TIDEMARK_CHECK(queue != catalog_.queues_.end(), "partition of no queue \"{}\"", partition.queue);
  auto& slot = queue->second.partitions[partition.name];
  auto& order = queue->second.by_write_time;
  if (slot == nullptr) {
    slot = std::make_unique<Partition>(partition);
  } else {
    if (slot->state.last_write_at != partition.state.last_write_at) {
      order.erase({slot->state.last_write_at, slot->name});
    }
    slot->id = partition.id;
    slot->state = partition.state;
  }
  order.insert({slot->state.last_write_at, slot->name});
}

void Catalog::Update::RemoveQueue(std::string_view name) {
  if (const auto found = catalog_.queues_.find(name); found != catalog_.queues_.end()) {
    catalog_.queues_.erase(found);
  }
}

}  // namespace tidemark::broker

#pragma once
// The queues and partitions in memory, as far as readers may see them. The writer thread alone
// changes it, after the transaction is on disk; everybody else reads under its lock. What a
// discovery lists therefore never runs ahead of what a crash would keep. About 300 bytes a
// partition.

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/strong_int.h"
#include "base/time.h"
#include "broker/queue_options.h"

namespace tidemark::broker {

// Never reused: a partition that is deleted and made again is another one.
using PartitionId = StrongInt<struct PartitionIdTag>;
using QueueId = StrongInt<struct QueueIdTag>;

struct PartitionState {
  Offset log_start;  // first offset that retention still holds
  Offset next;       // next to be assigned: the high watermark
  Micros last_write_at =
      kMinusInfinity;  // exact for the first write, then floored to the second; never falls
  // Payload bytes appended since the process started; only differences mean anything (long polls).
  std::int64_t payload_total = 0;

  bool operator==(const PartitionState&) const = default;
};

struct Partition {
  PartitionId id;
  std::string queue;
  std::string name;
  PartitionState state;
};

struct PartitionRef {
  std::string queue;
  std::string partition;
};

// What a fetch has to know of one lane.
struct Lane {
  bool queue_known = false;
  // Absent: never written; its state is all zero.
  std::optional<PartitionId> partition;
  PartitionState state;
};

struct ListedPartition {
  std::string name;
  PartitionState state;
};

struct DiscoveryCursor {
  Micros last_write_at = kMinusInfinity;  // with since only
  std::string name;
};

class Catalog {
 public:
  struct Queue {
    QueueId id;
    QueueOptions options;
    std::map<std::string, std::unique_ptr<Partition>, std::less<>> partitions;
    // Partitions by (last_write_at, name).
    std::set<std::pair<Micros, std::string_view>> by_write_time;
  };

  struct QueueSummary {
    std::string name;
    QueueOptions options;
    std::size_t partitions = 0;
  };

  // ---- readers, any thread

  // One Lane per ref, all as of one moment.
  std::vector<Lane> Look(const std::vector<PartitionRef>& refs) const;

  // Up to `limit` partitions after the cursor, by name. nullopt: no such queue.
  std::optional<std::vector<ListedPartition>> PageByName(
      std::string_view queue, const std::optional<DiscoveryCursor>& after, std::size_t limit) const;
  // Those written at or after `since`, by (last_write_at, name).
  std::optional<std::vector<ListedPartition>> PageByWriteTime(
      std::string_view queue,
      Micros since,
      const std::optional<DiscoveryCursor>& after,
      std::size_t limit) const;

  std::vector<QueueSummary> Queues() const;

  // ---- the writer thread; reading without the lock is right there, because nobody else changes
  // anything

  const Queue* FindQueue(std::string_view name) const;
  const Partition* Find(std::string_view queue, std::string_view partition) const;

  // Several changes that readers see together.
  class Update {
   public:
    explicit Update(Catalog& catalog) : catalog_(catalog), lock_(catalog.mutex_) {}

    void PutQueue(const std::string& name, QueueId id, QueueOptions options);
    // The queue must exist.
    void PutPartition(const Partition& partition);
    void RemoveQueue(std::string_view name);

   private:
    Catalog& catalog_;
    std::unique_lock<std::shared_mutex> lock_;
  };

 private:
  mutable std::shared_mutex mutex_;
  std::map<std::string, Queue, std::less<>> queues_;
};

}  // namespace tidemark::broker

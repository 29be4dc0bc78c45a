#pragma once
// The side of the store that writes: one thread, one open transaction, statements prepared once.
// What a transaction changes is staged here and reaches the catalog, the dedup window and the clock
// only when it is on disk (Publish), or is forgotten (Abandon). Driven by CommitLoop; nothing here
// is for another thread.

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/result.h"
#include "broker/catalog.h"
#include "broker/dedup_window.h"
#include "broker/push_request.h"
#include "broker/schema.h"
#include "broker/segment.h"
#include "broker/sqlite.h"
#include "broker/stamp_clock.h"
#include "io/random.h"

namespace tidemark::broker {

// A partition that has new records, for those who wait for them.
struct LaneNews {
  std::string queue;
  std::string partition;
  std::int64_t payload_total = 0;
};

class LogWriter {
 public:
  // Everything borrowed outlives this. Fills the dedup window from the newest segments.
  static Result<std::unique_ptr<LogWriter>> Open(Database db,
                                                 const StoreMeta& meta,
                                                 Catalog& catalog,
                                                 StampClock& stamps,
                                                 io::Random& random,
                                                 std::size_t dedup_capacity);

  // ---- inside a transaction

  // Appends what is not a duplicate: one stamp, offsets contiguous in each lane, lanes and queues
  // made as needed. One outcome an item, in item order.
  Result<std::vector<PushOutcome>> Append(const PushRequest& request);

  // Sets all options of a queue, made when missing.
  Status Configure(const std::string& queue, const QueueOptions& options);

  // Queue, partitions and options are gone at once; segments are swept later (SweepDead).
  // kNotFound.
  Status DeleteQueue(const std::string& queue);

  // Deletes up to `limit` segments of a partition that are older than `cutoff`, oldest first. The
  // number deleted; fewer than `limit`: no more to do. A partition that is gone has none.
  Result<std::size_t> Expire(const PartitionRef& partition, Micros cutoff, std::size_t limit);

  // Deletes up to `limit` segments of deleted queues; fewer than `limit`: no more to do.
  Result<std::size_t> SweepDead(std::size_t limit);

  // Makes the transaction put a floor on disk that lets safe times go on for StampClock::kReserve.
  void ReserveSafeTime() { reserve_ = true; }

  Database& db() { return db_; }

  // ---- around it, by CommitLoop

  Status Begin();
  // Writes what was staged, then commits. After an error: Abandon. Ends the process when the
  // outcome is unknown.
  Status Commit();
  // Makes a committed transaction visible and says which lanes grew.
  std::vector<LaneNews> Publish();
  void Abandon();

  // Puts the exact floor on disk; the last thing a store does.
  Status WriteFinalFloor();

 private:
  struct StagedQueue {
    QueueId id;
    QueueOptions options;
  };

  struct StagedPartition {
    Partition partition;
    bool grew = false;
  };

  LogWriter(Database db,
            const StoreMeta& meta,
            Catalog& catalog,
            StampClock& stamps,
            io::Random& random,
            std::size_t dedup_capacity);

  Status FillDedupWindow();
  Result<StagedQueue> OpenQueue(std::string_view name);
  Result<StagedPartition*> OpenPartition(std::string_view queue, std::string_view name);
  Status AppendLane(const PushRequest& request,
                    const PushLane& lane,
                    Micros stamp,
                    std::vector<PushOutcome>& outcomes);
  Status InsertSegment(StagedPartition& staged, const SegmentBuilder& segment, Micros stamp);
  bool IsDuplicate(const Hash128& id, Micros stamp, std::int64_t window_seconds) const;
  Status WriteFloor(Micros floor);
  void Forget();

  Database db_;
  Catalog& catalog_;
  StampClock& stamps_;
  io::Random& random_;
  const SipKey dedup_key_;
  DedupWindow dedup_;

  Statement insert_queue_;
  Statement insert_partition_;
  Statement update_partition_;
  Statement insert_segment_;
  Statement update_floor_;
  Statement select_oldest_;
  Statement delete_segment_;

  // Staged; empty between transactions.
  std::map<std::string, StagedQueue, std::less<>> queues_;
  std::map<std::pair<std::string, std::string>, StagedPartition> partitions_;
  std::vector<std::pair<Hash128, Micros>> ids_;
  std::unordered_set<Hash128> id_set_;
  std::string removed_queue_;
  bool reserve_ = false;
  Micros floor_;
};

}  // namespace tidemark::broker

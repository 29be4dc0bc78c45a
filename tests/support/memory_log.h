#pragma once
// The log of a Queen broker in memory: queues, partitions, segments, retention, discovery. Pure:
// what the time is, it is told. Semantics: queen-interface 1.1, 1.2, 17.1 (`infra_fake_queen`).

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "queen/types.h"

namespace tidemark::testing {

struct NewRecord {
  std::string transaction_id;
  std::string payload;  // JSON text; "null" is a record without payload
};

// Ceilings of one fetch call that a caller cannot set; small values make budgets visible in a test.
struct FetchCeilings {
  std::int64_t call_bytes = std::int64_t{64} << 20;  // segment bytes, in entry order
  std::size_t entry_records = 10'000;
  std::size_t text_bytes = std::size_t{64} << 20;  // rendered answer
};

class MemoryLog {
 public:
  void CreateQueue(const std::string& queue);

  // One segment: `payloads` get consecutive offsets, all stamped `ts`, transaction ids
  // "t-<offset>". Creates queue and partition. `ts` may not fall below the partition's last one,
  // nor below a safe time that was already answered (a broker never does that). Returns the first
  // offset.
  Offset Append(const std::string& queue,
                const std::string& partition,
                Micros ts,
                const std::vector<std::string>& payloads);
  Offset AppendRecords(const std::string& queue,
                       const std::string& partition,
                       Micros ts,
                       std::vector<NewRecord> records);

  // Retention: segments wholly below `offset` are gone and the log start rises to the first one
  // kept (to the head when none is).
  void DropBefore(const std::string& queue, const std::string& partition, Offset offset);

  // The segment that holds `offset` does not unpack: fetches skip it in silence.
  void HideSegment(const std::string& queue, const std::string& partition, Offset offset);

  // The next `times` entries of fetches that ask for the partition are answered with `error`.
  void Refuse(const std::string& partition, queen::EntryError error, int times) {
    refusals_[partition] = {error, times};
  }

  // As if it had never been written; the next Append starts at offset 0 again.
  void DeletePartition(const std::string& queue, const std::string& partition);

  // Pins the safe time; nullopt derives it: `now` of the call - 5 s.
  void PinSafeTime(std::optional<Micros> safe_time) { pinned_safe_time_ = safe_time; }

  void SetSafeTimeDegraded(bool degraded) { safe_time_degraded_ = degraded; }

  void SetCeilings(const FetchCeilings& ceilings) { ceilings_ = ceilings; }

  // The wire's calls. kInvalidArgument for what the broker answers 400, kExhausted above the
  // request's answer bound.
  Result<queen::FetchAnswer> Fetch(const queen::FetchRequest& request);
  Result<queen::DiscoveryAnswer> Discover(const std::vector<queen::DiscoveryEntry>& entries,
                                          Micros now);
  std::vector<std::string> Queues() const;

 private:
  struct Segment {
    Offset first;
    Micros ts;
    std::vector<NewRecord> records;
    std::int64_t bytes = 0;
    bool hidden = false;

    Offset end() const { return first + static_cast<std::int64_t>(records.size()); }
  };

  struct Partition {
    std::deque<Segment> segments;
    Offset log_start;
    Offset head;  // next offset to be assigned
    Micros last_ts = kMinusInfinity;
    Micros last_write_at = kMinusInfinity;
  };

  using Partitions = std::map<std::string, Partition>;

  // What is left of one call's budgets.
  struct Budget {
    std::int64_t bytes = 0;
    std::size_t text = 0;
    bool first_segment = true;
    bool first_record = true;
  };

  Partition& Existing(const std::string& queue, const std::string& partition);
  queen::FetchEntryAnswer FetchOne(const std::string& queue,
                                   const queen::FetchEntry& entry,
                                   Budget& budget,
                                   std::string& body,
                                   std::vector<queen::RecordSlice>& records);
  void ReadRecords(const Partition& partition,
                   const queen::FetchEntry& entry,
                   Budget& budget,
                   std::string& body,
                   std::vector<queen::RecordSlice>& out) const;
  queen::DiscoveryEntryAnswer DiscoverOne(const queen::DiscoveryEntry& entry) const;

  struct Refusal {
    queen::EntryError error;
    int times;
  };

  std::map<std::string, Partitions> queues_;
  std::map<std::string, Refusal> refusals_;  // by partition
  FetchCeilings ceilings_;
  std::optional<Micros> pinned_safe_time_;
  bool safe_time_degraded_ = false;
  Micros answered_safe_time_ = kMinusInfinity;
};

}  // namespace tidemark::testing

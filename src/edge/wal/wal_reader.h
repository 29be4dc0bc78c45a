#pragma once
// Reads the write-ahead log in order: only what is synced, from any position it still holds.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "edge/wal/wal.h"
#include "format/wal_record.h"
#include "io/async.h"
#include "io/task.h"

namespace tidemark::edge {

// Consecutive records. The views live as long as the batch, also when it is moved; kReadPadding
// bytes behind each text may be read (simdjson).
struct WalBatch {
  static constexpr std::size_t kReadPadding = 64;

  std::vector<format::WalRecord> records;
  // Positions before or between the records that the log has lost (`tidemark wal repair` notes
  // them); each is to become a reject `wal.damaged`.
  std::vector<format::PositionRange> holes;
  // Everything up to here is in this batch or an earlier one.
  Position through;

  // What the views point into. Shared: with the log, which gives the same groups to all readers.
  std::vector<std::shared_ptr<const std::string>> bytes;
};

// Belongs to the loop's thread; the log outlives it. Files are read on `pool`.
class WalReader {
 public:
  // `from` (> 0) is the first position wanted. Fails when reading (Next), not here.
  WalReader(Wal& wal, io::WorkerPool& pool, Position from);
  ~WalReader();

  WalReader(const WalReader&) = delete;
  WalReader& operator=(const WalReader&) = delete;

  // The next records, about kBatchBytes of them; waits until there are some. nullopt after Stop.
  // kNotFound: the position is not in the log any more; kCorruption: as Wal::Open. One call at a
  // time.
  io::Task<Result<std::optional<WalBatch>>> Next();

  // Next answers nullopt from now on, a waiting one at once.
  void Stop();

  // For the log: there is more to read.
  void OnSynced() { synced_.Notify(); }

  // The first position that Next will answer.
  Position position() const { return next_; }

  // Nothing is synced that was not answered.
  bool AtEnd() const { return next_ > wal_.synced_through(); }

  static constexpr std::int64_t kBatchBytes = 1 << 20;

 private:
  struct Place;

  Result<WalSegment> Seek(std::vector<format::PositionRange>& holes);
  // What follows at place_.
  io::Task<Result<WalBatch>> ReadBatch();

  Wal& wal_;
  io::WorkerPool& pool_;
  Position next_;
  std::unique_ptr<Place> place_;
  io::Signal synced_;
  bool stopped_ = false;
};

}  // namespace tidemark::edge

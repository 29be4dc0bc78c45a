#pragma once
// Feeds one sink from the write-ahead log: reads on the loop, decodes and writes on the pool, one
// batch after the other.

#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "edge/segment/segment_sink.h"
#include "edge/wal/wal_reader.h"
#include "io/async.h"
#include "io/clock.h"
#include "io/worker_pool.h"

namespace tidemark::edge {

// How a sink stands, as of its last batch.
struct SinkStatus {
  SinkCounters counters;
  Position watermark;
  Position read;
  std::size_t open_files = 0;
  std::int64_t disk_bytes = 0;
  bool room = true;
  std::optional<Micros> oldest_open;
};

// Belongs to the loop's thread; everything borrowed outlives it.
class SinkDriver {
 public:
  SinkDriver(io::Loop& loop,
             io::WorkerPool& pool,
             Wal& wal,
             const io::Clock& clock,
             std::unique_ptr<SegmentSink> sink);

  // Feeds the sink until Drain and the end of the log, or Stop, or a failure. With its disk budget
  // used up it waits for room, or, when nothing is to come any more, fails with kExhausted.
  io::Task<Status> Run();

  // Once the log grows no more: Run ends when everything is read.
  void Drain();
  // Run ends after the batch at hand.
  void Stop();

  // Finalizes what is old, notices files that were removed while the budget is used up.
  io::Task<Status> Tick();
  // Finalizes the open file, or marks the idle data set, that keeps the log longest.
  io::Task<Status> Advance();
  // After Run: finalizes everything.
  io::Task<Status> Finish();

  const SinkStatus& status() const { return status_; }

  const SinkOptions& options() const { return sink_->options(); }

 private:
  template <typename Work>
  io::Task<Status> OnPool(Work work);
  io::Task<Status> AwaitRoom();
  void Refresh();

  io::Loop& loop_;
  io::WorkerPool& pool_;
  Wal& wal_;
  const io::Clock& clock_;
  std::unique_ptr<SegmentSink> sink_;
  WalReader reader_;
  io::AsyncMutex busy_;
  std::stop_source stop_;
  bool draining_ = false;
  SinkStatus status_;
};

}  // namespace tidemark::edge

#pragma once
// Feeds one sink from the write-ahead log: reads on the loop, decodes and writes on the pool, one
// batch after the other.

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "edge/pipeline_world.h"
#include "edge/segment/segment_sink.h"
#include "edge/wal/wal_reader.h"
#include "io/async.h"

namespace tidemark::edge {

// How a sink stands, as of its last batch.
struct SinkStatus {
  SinkCounters counters;
  Position watermark;
  Position read;
  std::size_t open_files = 0;
  std::int64_t disk_bytes = 0;
  std::int64_t reject_bytes = 0;
  std::string stuck;  // why it does not go on; empty: it does
  std::optional<Micros> oldest_open;
};

// Belongs to the loop's thread; everything borrowed outlives it.
//
// A sink that finds the disk full, or a file of its own gone, is given up and opened again: what it
// had not committed comes again from the log.
class SinkDriver {
 public:
  // Opens the sink over what the log holds, to count on from `so_far`; called on the pool, again
  // after a full disk.
  using OpenSink = std::function<Result<std::unique_ptr<SegmentSink>>(const WalExtent& extent,
                                                                      SinkCounters so_far)>;

  // Blocking. Errors as SegmentSink::Open.
  static Result<std::unique_ptr<SinkDriver>> Open(const PipelineWorld& world,
                                                  Wal& wal,
                                                  OpenSink open);

  // Feeds the sink until Drain and the end of the log, or Stop, or a failure. With its disk budget
  // used up, or the disk full, it waits for room, or, when nothing is to come any more, fails with
  // kExhausted.
  io::Task<Status> Run();

  // Once the log grows no more: Run ends when everything is read.
  void Drain();
  // Run ends after the batch at hand.
  void Stop();

  // Finalizes what is old, notices files that were removed while the budget is used up.
  io::Task<Status> Tick();
  // Finalizes the open file, or marks the idle data set, that keeps the log longest.
  io::Task<Status> Advance();
  // After Run: finalizes everything. kExhausted: the disk is full.
  io::Task<Status> Finish();

  const SinkStatus& status() const { return status_; }

  const SinkOptions& options() const { return options_; }

 private:
  SinkDriver(const PipelineWorld& world,
             Wal& wal,
             OpenSink open,
             std::unique_ptr<SegmentSink> sink);

  template <typename Work>
  io::Task<Status> OnPool(Work work);
  io::Task<Status> Feed(const WalBatch& batch);
  io::Task<Status> AwaitRoom();
  void GiveUp(const Error& error);
  io::Task<Status> Reopen();
  Error DrainedWithoutRoom(const std::string& why) const;
  void Refresh();

  const PipelineWorld world_;
  Wal& wal_;
  const OpenSink open_;
  std::unique_ptr<SegmentSink> sink_;  // null: given up
  const SinkOptions options_;
  std::unique_ptr<WalReader> reader_;
  io::AsyncMutex busy_;
  std::stop_source stop_;
  bool draining_ = false;
  SinkStatus status_;
};

}  // namespace tidemark::edge

#pragma once
// The parquet sink: records of the write-ahead log become segments of its data sets, each in ready/
// exactly once (segments contract). What it promised stands in SinkBooks; everything else can be
// thrown away and comes again from the log.

#include <memory>
#include <vector>

#include "base/result.h"
#include "edge/segment/sink_books.h"
#include "edge/segment/sink_counters.h"
#include "edge/segment/sink_options.h"
#include "format/wal_record.h"

namespace tidemark::edge {

// One thread at a time. After an error nothing may be called any more: a restart recovers. Files
// are written and synced by the calls themselves.
class SegmentSink {
 public:
  // Recovers, then is ready for records from next() on; counts on from `so_far`, what a sink of
  // this process that was given up had come to. `world` outlives it. kInvalidArgument: the options
  // (a declaration that does not parse, a disk budget below max_bytes); kPreconditionFailed: a
  // schema may not change so; kCorruption: damaged state.
  static Result<std::unique_ptr<SegmentSink>> Open(SinkOptions options,
                                                   const WalExtent& wal,
                                                   SinkWorld world,
                                                   SinkCounters so_far = {});
  ~SegmentSink();

  // The first position that some data set still wants.
  Position next() const;

  // Takes the record, which follows the one before; 64 bytes behind its payload must be readable.
  // Data sets that already cover its position pass it over.
  Status Write(const format::WalRecord& record);

  // Positions that the log has lost: one reject each range.
  Status WriteHole(const format::PositionRange& range, Micros now);

  // No record follows up to here: positions without a record count as read.
  void ReadThrough(Position position);

  // Finalizes what is older than max_age, or more than a second ahead of `now` (the clock stepped
  // back), and marks what idle data sets have read for that long.
  Status CloseDue(Micros now);

  // Finalizes every open file and covers every data set up to what was read.
  Status FinishAll();

  // Finalizes the open files of the data sets with the lowest coverage, and marks those that are
  // idle: the log can go up to there.
  Status AdvanceLowest();

  // Takes files that somebody removed from ready/ out of the books, and begins a new log of rejects
  // when the full one was moved away: there may be room again.
  Status NoticeRemoved();

  // Every data set is committed up to here; never falls.
  Position watermark() const;

  // The disk budget is used up: no record may be written until room() is true again.
  bool room() const;

  // Ingest time of the oldest row that is in no finalized file; nullopt: there is none.
  std::optional<Micros> oldest_open() const;

  std::size_t open_files() const;
  // Bytes of staging and ready files, row groups that are not on disk yet included.
  std::int64_t disk_bytes() const;
  // Of the log of rejects.
  std::int64_t reject_bytes() const;
  std::size_t memory_bytes() const;
  const SinkCounters& counters() const;
  const SinkOptions& options() const;

 private:
  class Impl;
  explicit SegmentSink(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace tidemark::edge

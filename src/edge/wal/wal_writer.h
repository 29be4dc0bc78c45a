#pragma once
// Group commit: the half of Wal that runs. Belongs to the loop's thread, except where a comment
// says otherwise.

#include <algorithm>
#include <coroutine>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "edge/wal/held_groups.h"
#include "edge/wal/recover.h"
#include "edge/wal/wal.h"
#include "io/async.h"

namespace tidemark::edge {

class WalReader;

class Wal::Writer {
 public:
  Writer(WalOptions options, WalWorld world, OpenedLog log, std::unique_ptr<io::File> lock);

  // Starts the writer's coroutine.
  void Start() { io::Spawn(world_.loop, Run()); }

  io::Task<Result<format::PositionRange>> Append(std::span<const WalInput> records);
  io::Task<Status> Close();
  io::Task<Status> RemoveThrough(Position position);

  // With the next group: what is being written may be reading the table.
  void Forget(format::TokenTable::key_type stream) { forgotten_.push_back(std::move(stream)); }

  // Told whenever synced_through() has risen.
  void AddReader(WalReader& reader) { readers_.push_back(&reader); }

  void RemoveReader(WalReader& reader);

  // A reader has gone on: what all of them have read is not held any more.
  void LetGo();

  // As long as there are readers; groups of the log's own, so that nothing in them needs a check.
  const HeldGroups& held() const { return held_; }

  void OnFailure(std::move_only_function<void(const Error&)> callback) {
    on_failure_ = std::move(callback);
  }

  const WalWorld& world() const { return world_; }

  Epoch epoch() const { return epoch_; }

  Position synced_through() const { return end_; }

  std::int64_t bytes() const { return bytes_; }

  const std::optional<Error>& failure() const { return failure_; }

  io::Duration writing_for() const {
    return writing_since_ ? world_.loop.Now() - *writing_since_ : io::Duration();
  }

  const std::string& withheld() const { return withheld_; }

  const format::TokenTable& tokens() const { return tokens_; }

  const std::vector<WalSegment>& segments() const { return segments_; }

  const WalOpening& opening() const { return opening_; }

  const WalCounters& counters() const { return counters_; }

 private:
  // One append, on its coroutine's frame until it is resumed.
  struct Pending {
    std::span<const WalInput> records;
    std::int64_t frame_bytes = 0;
    Micros time;
    bool clock_synced = false;
    std::coroutine_handle<> waiter;
    Result<format::PositionRange> result = {};
  };

  struct Waiting {
    Pending& pending;

    bool await_ready() const noexcept { return false; }

    void await_suspend(std::coroutine_handle<> waiter) noexcept { pending.waiter = waiter; }

    void await_resume() const noexcept {}
  };

  // What goes to the disk at once; without members it is a mark.
  struct Group {
    std::vector<Pending*> members;
    format::WalGroupHeader header;
  };

  struct Outcome {
    Status status;
    bool rolled = false;  // the segment is a new one
  };

  std::optional<Error> Refusal(std::span<const WalInput> records, std::int64_t frame_bytes);
  Error Withheld(std::string why);
  Micros Stamp();

  io::Task<void> Run();
  io::Task<void> WaitForWork();
  io::Task<void> Gather();
  Group CutGroup();
  io::Task<void> Commit(Group group);
  io::Task<void> Mark();

  bool WantsMark() const { return vouched_ < end_ && !failure_; }

  // On the pool. The loop only reads tokens_ meanwhile.
  Outcome Write(const Group& group, const SegmentSpan& read);
  bool SegmentIsFull() const;

  std::int64_t ExcessBytes() const {
    return std::max<std::int64_t>(segment_.header_bytes() - options_.segment_bytes, 0);
  }

  void Encode(const Group& group);

  void Accept(const Group& group, const Outcome& outcome);
  void Learn(const Group& group);
  void Hold();
  // What all readers took from memory since the last call, of the segment being written.
  SegmentSpan TakeRead();
  void Refuse(const Group& group, Error error);
  void Resume(const Group& group);

  const WalOptions options_;
  const WalWorld world_;
  const std::unique_ptr<io::File> lock_;
  const Epoch epoch_;
  const WalOpening opening_;

  SegmentWriter segment_;
  std::string buffer_;  // the encoded group, and padding as WalBatch promises it
  HeldGroups held_;
  format::TokenTable tokens_;
  std::vector<format::TokenTable::key_type> forgotten_;
  std::vector<WalSegment> segments_;
  Position end_;
  Position vouched_;  // what the last header on disk says is durable
  std::int64_t bytes_ = 0;
  // Of the header of the segment being written, which cannot go, what makes it longer than a
  // segment: it does not count against max_bytes, or nothing might ever fit.
  std::int64_t excess_bytes_ = 0;
  std::optional<Error> failure_;
  std::string withheld_;
  std::optional<io::Duration> writing_since_;  // by the loop's time; absent: nothing is written
  std::move_only_function<void(const Error&)> on_failure_;
  WalCounters counters_;

  std::deque<Pending*> queue_;
  std::int64_t queue_bytes_ = 0;
  std::size_t last_members_ = 1;
  Micros last_time_;
  io::Duration full_until_{};  // the loop's time before which a full disk is not tried again

  io::Signal wake_;
  bool timer_fired_ = false;
  bool closing_ = false;
  bool ended_ = false;
  io::Signal ended_signal_;
  std::vector<WalReader*> readers_;
};

}  // namespace tidemark::edge

#pragma once
// The write-ahead log: what a source took in stands here before it is acknowledged, and everything
// behind it can be thrown away and built again (design: docs/formats/wal.md).
//
//   producers ── Append ──▶ group ── write, fdatasync ──▶ acknowledged, and visible to readers
//
// A group is what waits while the one before it is being synced. Append, and all else here, belongs
// to the loop's thread; files are written and synced on the pool.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "edge/wal/wal_options.h"
#include "format/source_token.h"
#include "format/wal_record.h"
#include "format/wal_segment.h"
#include "io/async.h"
#include "io/task.h"

namespace tidemark::edge {

// One record to take in, borrowed until the Append that it is given to ends.
struct WalInput {
  std::string_view source;
  std::string_view topic;
  std::string_view token;  // format/source_token.h; only the last one of an append needs it
  std::string_view payload;
  std::uint64_t full_bytes = 0;  // as in format::WalRecord
};

// A file of the log, as readers need it.
struct WalSegment {
  std::string path;
  Position first;
  Position follows;  // the last position before it
  Position last;     // the last position in it that is synced; first - 1 when there is none
  std::int64_t bytes = 0;
};

// What Open did, for the log of the program.
struct WalOpening {
  bool is_new = false;
  // One sentence each: bytes that were cut and where they were set aside, frames that were synced
  // again, positions that were skipped.
  std::vector<std::string> notes;
};

struct WalCounters {
  std::uint64_t records = 0;
  std::uint64_t groups = 0;
  std::uint64_t payload_bytes = 0;
  std::uint64_t withheld = 0;  // appends that were refused for want of room
};

class Wal {
 public:
  // Blocking; before the loop runs. Takes the folder's lock, checks every frame, cuts a torn end,
  // syncs again what may not be on disk. kAlreadyExists: another process has the log;
  // kCorruption: damage at or below what was durable, as a report that names file, byte offset,
  // positions and the command to run; kCancelled: options.stop was requested; else what the file
  // system says.
  static Result<std::unique_ptr<Wal>> Open(WalOptions options, WalWorld world);

  // After Close, or when the loop has stopped for good.
  ~Wal();

  // Takes all of `records` (not empty) or none, in this order, in one group; returns their
  // positions once they are on disk. Errors:
  //   kInvalidArgument  a payload above max_record_bytes, and the message names which; or more than
  //                     max_bytes leaves beside a segment
  //   kExhausted        withheld: max_bytes or the disk is full. Nothing was taken, try again after
  //                     retry_after_ms
  //   kOutcomeUnknown   the disk failed under this append: it may come back after a restart
  //   kUnavailable      the disk failed before (failure()), or the log is closing; nothing was
  //   taken
  io::Task<Result<format::PositionRange>> Append(std::span<const WalInput> records);

  // Finishes the appends under way and ends the writer; later appends are refused. To be awaited
  // once before destruction. The failure, if there was one.
  io::Task<Status> Close();

  Epoch epoch() const;

  // Readers see up to here. 0: nothing yet.
  Position synced_through() const;

  // Set for good once a write or sync failed otherwise than for want of room: no later append is
  // acknowledged. The process should end; a restart recovers.
  const std::optional<Error>& failure() const;

  // Called on the loop when failure() is set.
  void OnFailure(std::move_only_function<void(const Error& error)> callback);

  // The latest place of a stream of a source; of all streams of one, ordered by stream. Views live
  // until the next append ends.
  std::optional<std::string_view> LatestPlace(std::string_view source,
                                              std::string_view stream) const;
  std::vector<format::SourceToken> Streams(std::string_view source) const;

  // Drops the latest place of a stream; it may be known again after a crash.
  void Forget(std::string_view source, std::string_view stream);

  // Removes the segments in which every position is at or below `position`; the one being written
  // stays, and so do the latest places of all streams. Readers must be beyond. One call at a time.
  io::Task<Status> RemoveThrough(Position position);

  // How long the group at hand has been on its way to the disk; 0: there is none.
  io::Duration writing_for() const;

  // Why the last append was refused for want of room; empty: it was not, or room was made since.
  const std::string& withheld() const;

  // Bytes of all segments.
  std::int64_t bytes() const;
  // In order of positions; the last one is being written.
  const std::vector<WalSegment>& segments() const;
  const WalOpening& opening() const;
  const WalCounters& counters() const;

 private:
  friend class WalReader;
  class Writer;

  explicit Wal(std::unique_ptr<Writer> writer);

  std::unique_ptr<Writer> writer_;
};

}  // namespace tidemark::edge

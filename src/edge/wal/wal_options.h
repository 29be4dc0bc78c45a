#pragma once
// What a write-ahead log is opened with.

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>

#include "base/strong_int.h"
#include "io/clock.h"
#include "io/file_system.h"
#include "io/loop.h"
#include "io/worker_pool.h"

namespace tidemark::edge {

enum class WalSync {
  kGroup,  // one fdatasync a group
  kEach,   // one fdatasync an append
  kNone,   // never: a power loss takes what was acknowledged
};

struct WalOptions {
  // Absolute; made when missing.
  std::string folder = {};

  WalSync sync = WalSync::kGroup;
  // A group waits this long at most for as many appends as the last one had; a lone producer does
  // not wait.
  io::Duration group_max_delay = std::chrono::milliseconds(5);
  // A group is closed at this size; an append that is larger is a group of its own.
  std::int64_t group_max_bytes = 1 << 20;
  // A new segment begins when the last one has reached this size, and holds a group.
  std::int64_t segment_bytes = 64 << 20;
  // Beyond it appends are withheld until segments have been removed. At least twice segment_bytes.
  std::int64_t max_bytes = std::int64_t{8} << 30;
  // Of one payload.
  std::int64_t max_record_bytes = 16 << 20;

  // The highest epoch that a cursor, a catalog or a finished file knows: a new log takes a higher
  // one.
  Epoch known_epoch = {};
  // The furthest that a cursor of `cursor_epoch` has got: a log of that epoch goes on behind it,
  // whatever it still holds.
  Epoch cursor_epoch = {};
  Position cursor = {};

  // A log of gigabytes is checked for minutes when it is opened: once this is requested, Open ends
  // with kCancelled, and has changed nothing.
  std::stop_token stop = {};
};

// What it lives in; all of it outlives the log.
struct WalWorld {
  io::FileSystem& files;
  const io::Clock& clock;
  io::Loop& loop;
  // Writes and syncs run here, one at a time: a thread of its own keeps other work from delaying
  // them.
  io::WorkerPool& pool;
  // Whether the clock is disciplined, asked once an append on the loop's thread (clock.synced).
  std::function<bool()> clock_synced = [] { return false; };
  // Told how long each group was written and synced, on the loop.
  std::function<void(io::Duration)> on_written = [](io::Duration) {};
};

}  // namespace tidemark::edge

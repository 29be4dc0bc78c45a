#pragma once
// Looks at a write-ahead log as it lies on the disk and judges it, changing nothing: what is whole,
// what was durable, what is damaged. The basis of opening, fsck and repair. Blocking; safe beside a
// running process, which may have written more meanwhile.

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "edge/wal/segment_file.h"
#include "format/wal_segment.h"
#include "io/file_system.h"

namespace tidemark::edge {

struct SegmentScan {
  std::string path;
  Position name_first;                // what its name says
  std::optional<SegmentStart> start;  // absent: the header is damaged
  std::int64_t bytes = 0;

  Position last;                  // of the whole groups that follow each other from the start
  std::int64_t end = 0;           // where they end
  std::uint64_t groups = 0;       // marks not counted
  std::optional<WalFault> fault;  // what stands there instead of a group

  Position first() const { return start ? start->header.first : name_first; }

  Position follows() const { return start ? start->header.follows : name_first - 1; }
};

// Bytes or positions at or below what was durable that are not there.
struct WalDamage {
  std::string path;
  std::int64_t offset = 0;
  Position before;  // the last whole one before it; 0: none
  Position after;   // the first whole one behind it; 0: none
  std::string what;
};

// Positions that were noted as lost.
struct WalHole {
  Position first;
  Position last;
};

struct LogScan {
  std::optional<Epoch> epoch;       // absent: no log
  std::optional<Epoch> epoch_file;  // absent: lost or unreadable; every segment knows it too
  std::vector<SegmentScan> segments;
  Position end;      // of the last whole group
  Position durable;  // the highest position that a valid header vouches for
  std::vector<WalDamage> damage;
  std::vector<WalHole> holes;
  // What stands behind `end`: not durable, and not whole.
  std::optional<WalFault> torn;
  // Unfinished files of an earlier process.
  std::vector<std::string> leftovers;
};

// `folder` that is not there is no log. Errors are the file system's; kCorruption only for an
// epoch file that cannot be read beside segments that cannot either; kCancelled when `stop` is
// requested meanwhile.
Result<LogScan> ScanLog(io::FileSystem& files,
                        const std::string& folder,
                        const std::stop_token& stop = {});

// One sentence with the file, the offset, the positions around it and the command to run.
std::string Describe(const WalDamage& damage);

inline constexpr const char* kEpochFile = "epoch";
inline constexpr const char* kLockFile = "lock";
inline constexpr const char* kTemporarySuffix = ".tmp";

}  // namespace tidemark::edge

#pragma once
// One segment of the write-ahead log, read piece by piece and checked. Blocking; one thread at a
// time. Damage is a value here, since what it means depends on how far the log was durable
// (log_scan.h).

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "format/wal_record.h"
#include "format/wal_segment.h"
#include "io/file_system.h"

namespace tidemark::edge {

// Bytes that are not what was written.
struct WalFault {
  std::int64_t offset = 0;
  std::string what;
};

// A file through a window: memory is one window, or one frame when it is larger.
class SegmentFile {
 public:
  static Result<SegmentFile> Open(io::FileSystem& files, std::string path);

  const std::string& path() const { return path_; }

  // As of Open.
  std::int64_t size() const { return size_; }

  // Bytes [offset, offset + size) or fewer at the end; valid until the next call.
  Result<std::string_view> View(std::int64_t offset, std::uint64_t size);

 private:
  SegmentFile(std::string path, std::unique_ptr<io::ReadFile> file, std::int64_t size)
      : path_(std::move(path)), file_(std::move(file)), size_(size) {}

  std::string path_;
  std::unique_ptr<io::ReadFile> file_;
  std::int64_t size_;
  std::string window_;
  std::int64_t window_offset_ = 0;
};

struct SegmentStart {
  format::WalSegmentHeader header;
  std::int64_t bytes = 0;
};

// The header. kCorruption when it is damaged.
Result<SegmentStart> ReadSegmentStart(SegmentFile& file);

// Sees each whole frame and where it begins.
using FrameVisitor = std::function<void(const format::WalRecord& record, std::int64_t offset)>;

struct GroupCheck {
  format::WalGroupHeader header;
  std::int64_t end = 0;  // where the next group begins
  std::optional<WalFault> fault;
};

// The group at `offset`, every frame of it checked; `expected` is the position its first frame must
// have.
Result<GroupCheck> CheckGroup(SegmentFile& file,
                              std::int64_t offset,
                              Epoch epoch,
                              Position expected,
                              const FrameVisitor& visit);

struct FoundFrame {
  std::int64_t offset = 0;
  std::int64_t end = 0;
  Position position;
};

// The first whole frame at or behind `offset` with a position above `above`: what can be saved
// behind damage.
Result<std::optional<FoundFrame>> FindFrame(SegmentFile& file, std::int64_t offset, Position above);

// The highest position that a group header at or behind `offset` vouches for, wherever it stands; 0
// when there is none.
Result<Position> FindVoucher(SegmentFile& file, std::int64_t offset, Epoch epoch);

}  // namespace tidemark::edge

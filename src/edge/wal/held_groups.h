#pragma once
// The last groups of the log as they went to the disk. A reader that keeps up takes them from here
// and touches no file; one that lags finds them gone, and reads the file.

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/strong_int.h"

namespace tidemark::edge {

// Bytes [begin, end) of the segment whose first position is `segment`.
struct SegmentSpan {
  Position segment;
  std::int64_t begin = 0;
  std::int64_t end = 0;

  bool operator==(const SegmentSpan&) const = default;
};

// A group that is on disk.
struct HeldGroup {
  SegmentSpan place;
  Position last;
  // Shared: by the log, and by every batch that was cut from it. What stands behind the group's own
  // bytes is padding.
  std::shared_ptr<const std::string> bytes;

  // From byte `offset` of the segment, which the group holds, to its end.
  std::string_view From(std::int64_t offset) const;
};

// Not thread-safe.
class HeldGroups {
 public:
  // The oldest groups give way when all together take more than `bytes_max`; one that is larger is
  // not held.
  explicit HeldGroups(std::int64_t bytes_max) : bytes_max_(bytes_max) {}

  // Groups come in the order of the log.
  void Add(HeldGroup group);

  // The group with this byte of the segment; nullptr: it is not held. Valid until the next change.
  const HeldGroup* Find(Position segment, std::int64_t offset) const;

  // Forgets all groups, unread.
  void Clear();

  // Lets go of the groups that end at or before `through`.
  void Release(Position through);

  // Where the groups stood that were let go since the last call, of the last segment among them;
  // empty when there were none.
  SegmentSpan TakeReleased() { return std::exchange(released_, {}); }

 private:
  static std::int64_t BytesOf(const HeldGroup& group) {
    return static_cast<std::int64_t>(group.bytes->size());
  }

  void DropFirst();

  std::int64_t bytes_max_;
  std::int64_t bytes_ = 0;
  std::deque<HeldGroup> groups_;
  SegmentSpan released_;
};

}  // namespace tidemark::edge

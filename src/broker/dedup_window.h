#pragma once
// Which transaction ids were pushed lately: the last `capacity` records of all queues together,
// first in first out, and of those the ones younger than their queue's dedupWindowSeconds. A repeat
// within both bounds writes nothing; one beyond them is a new record (contract: "Duplicates by
// transactionId can exist in the log itself"). A start fills it from the segments that are there:
// ids of segments that retention has deleted are forgotten by then, however young. 24 bytes an
// entry and 8 to 16 of table. Writer thread only.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/time.h"
#include "broker/siphash.h"

namespace tidemark::broker {

class DedupWindow {
 public:
  // `capacity` > 0 entries; the memory is taken at once, so that a full window costs what an empty
  // one does.
  explicit DedupWindow(std::size_t capacity);

  // When `id` was last added, if it is still held; kMinusInfinity otherwise.
  Micros LastSeen(const Hash128& id) const;

  // Adds `id`, pushing out the oldest entry when full. An id that is held twice is found by its
  // younger entry.
  void Add(const Hash128& id, Micros stamp);

  std::size_t size() const { return size_; }

  std::size_t capacity() const { return ring_.size(); }

 private:
  struct Entry {
    Hash128 id;
    Micros stamp;
  };

  std::size_t Home(const Hash128& id) const { return id.high & mask_; }

  std::size_t FindSlot(const Hash128& id) const;
  void EraseSlotOf(std::size_t ring_index);

  static constexpr std::uint32_t kEmpty = UINT32_MAX;

  std::vector<Entry> ring_;
  std::size_t next_ = 0;
  std::size_t size_ = 0;
  // Open addressing with linear probing and at most half full: slots name ring entries.
  std::vector<std::uint32_t> table_;
  std::size_t mask_;
};

}  // namespace tidemark::broker

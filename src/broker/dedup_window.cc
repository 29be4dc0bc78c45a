#include "broker/dedup_window.h"

#include <bit>

#include "base/check.h"

namespace tidemark::broker {

DedupWindow::DedupWindow(std::size_t capacity)
    : ring_(capacity), table_(std::bit_ceil(capacity * 2), kEmpty), mask_(table_.size() - 1) {
  TIDEMARK_CHECK(capacity > 0 && capacity < kEmpty, "dedup window of {} entries", capacity);
}

// The slot that names `id`, or the empty one where it would go.
std::size_t DedupWindow::FindSlot(const Hash128& id) const {
  std::size_t slot = Home(id);
  while (table_[slot] != kEmpty && !(ring_[table_[slot]].id == id)) slot = (slot + 1) & mask_;
  return slot;
}

Micros DedupWindow::LastSeen(const Hash128& id) const {
  const std::uint32_t index = table_[FindSlot(id)];
  return index == kEmpty ? kMinusInfinity : ring_[index].stamp;
}

void DedupWindow::Add(const Hash128& id, Micros stamp) {
  if (size_ == ring_.size()) {
    EraseSlotOf(next_);
  } else {
    ++size_;
  }
  const std::size_t slot = FindSlot(id);
  ring_[next_] = {id, stamp};
  table_[slot] = static_cast<std::uint32_t>(next_);
  next_ = next_ + 1 == ring_.size() ? 0 : next_ + 1;
}

// Backward-shift deletion: keeps every probe sequence unbroken without tombstones.
void DedupWindow::EraseSlotOf(std::size_t ring_index) {
  std::size_t hole = FindSlot(ring_[ring_index].id);
  // A younger entry of the same id took the slot over: it stays.
  if (table_[hole] != ring_index) return;
  std::size_t slot = hole;
  while (true) {
    slot = (slot + 1) & mask_;
    if (table_[slot] == kEmpty) break;
    const std::size_t home = Home(ring_[table_[slot]].id);
    // Movable when its home is not inside (hole, slot], cyclically.
    if (((slot - home) & mask_) >= ((slot - hole) & mask_)) {
      table_[hole] = table_[slot];
      hole = slot;
    }
  }
  table_[hole] = kEmpty;
}

}  // namespace tidemark::broker

#include "lake/engine/lane_table.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

#include "base/check.h"

namespace tidemark::lake {

namespace {

constexpr LaneId kEmpty = std::numeric_limits<LaneId>::max();
constexpr std::size_t kSlotsMin = 16;
constexpr std::size_t kBlockBytes = std::size_t{64} << 10;
constexpr std::size_t kFirstBlockBytes = 256;  // most queues have few lanes

}  // namespace

std::size_t LaneTable::HomeOf(std::string_view name) const {
  return std::hash<std::string_view>()(name) & (slots_.size() - 1);
}

std::size_t LaneTable::SlotOf(std::string_view name) const {
  std::size_t slot = HomeOf(name);
  while (slots_[slot] != kEmpty && lanes_[slots_[slot]].name != name) {
    slot = (slot + 1) & (slots_.size() - 1);
  }
  return slot;
}

std::optional<LaneId> LaneTable::Find(std::string_view name) const {
  if (slots_.empty()) return std::nullopt;
  const LaneId id = slots_[SlotOf(name)];
  return id == kEmpty ? std::nullopt : std::optional(id);
}

LaneId LaneTable::Add(std::string_view name) {
  if ((size() + 1) * 2 > slots_.size()) Grow();
  const std::size_t slot = SlotOf(name);
  TIDEMARK_CHECK(slots_[slot] == kEmpty, "lane {} added twice", name);
  LaneId id = static_cast<LaneId>(lanes_.size());
  if (free_.empty()) {
    lanes_.emplace_back();
  } else {
    id = free_.back();
    free_.pop_back();
  }
  lanes_[id].name = Keep(name);
  slots_[slot] = id;
  return id;
}

void LaneTable::Grow() {
  slots_.assign(std::max(slots_.size() * 2, kSlotsMin), kEmpty);
  ForEach([this](LaneId id, const Lane& lane) { slots_[SlotOf(lane.name)] = id; });
}

std::string_view LaneTable::Keep(std::string_view name) {
  if (name.size() > block_left_ || blocks_.empty()) {
    block_left_ = std::max(name.size(), blocks_.empty() ? kFirstBlockBytes : kBlockBytes);
    blocks_.push_back(std::make_unique_for_overwrite<char[]>(block_left_));
    block_end_ = blocks_.back().get() + block_left_;
  }
  char* const at = block_end_ - block_left_;
  std::ranges::copy(name, at);
  block_left_ -= name.size();
  return {at, name.size()};
}

void LaneTable::Forget(LaneId id) {
  TIDEMARK_CHECK(lanes_[id].runs.empty() && !lanes_[id].outstanding && !lanes_[id].queued);
  const std::size_t mask = slots_.size() - 1;
  std::size_t hole = SlotOf(lanes_[id].name);
  // Whoever stands behind the hole and would not be found across it moves into it.
  for (std::size_t at = (hole + 1) & mask; slots_[at] != kEmpty; at = (at + 1) & mask) {
    const std::size_t home = HomeOf(lanes_[slots_[at]].name);
    if (((at - home) & mask) >= ((at - hole) & mask)) slots_[std::exchange(hole, at)] = slots_[at];
  }
  slots_[hole] = kEmpty;
  lanes_[id] = Lane{};
  free_.push_back(id);
}

}  // namespace tidemark::lake

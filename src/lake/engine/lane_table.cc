#include "lake/engine/lane_table.h"

#include "base/check.h"

namespace tidemark::lake {

std::optional<LaneId> LaneTable::Find(std::string_view name) const {
  const auto found = by_name_.find(std::string(name));
  if (found == by_name_.end()) return std::nullopt;
  return found->second;
}

LaneId LaneTable::Add(std::string_view name) {
  LaneId id = static_cast<LaneId>(lanes_.size());
  if (free_.empty()) {
    lanes_.emplace_back();
  } else {
    id = free_.back();
    free_.pop_back();
    lanes_[id] = Lane{};
  }
  const auto [entry, added] = by_name_.emplace(name, id);
  TIDEMARK_CHECK(added, "lane {} added twice", name);
  lanes_[id].name = entry->first;
  return id;
}

void LaneTable::Forget(LaneId id) {
  TIDEMARK_CHECK(lanes_[id].runs.empty() && !lanes_[id].outstanding && !lanes_[id].queued);
  by_name_.erase(std::string(lanes_[id].name));
  free_.push_back(id);
}

}  // namespace tidemark::lake

#include "edge/wal/held_groups.h"

#include <algorithm>
#include <utility>

namespace tidemark::edge {

std::string_view HeldGroup::From(std::int64_t offset) const {
  const auto begin = static_cast<std::size_t>(offset - place.begin);
  const auto end = static_cast<std::size_t>(place.end - place.begin);
  return std::string_view(*bytes).substr(begin, end - begin);
}

void HeldGroups::Add(HeldGroup group) {
  bytes_ += BytesOf(group);
  groups_.push_back(std::move(group));
  while (bytes_ > bytes_max_) DropFirst();
}

const HeldGroup* HeldGroups::Find(Position segment, std::int64_t offset) const {
  const auto lies_before = [&](const HeldGroup& group) {
    const SegmentSpan& place = group.place;
    return place.segment < segment || (place.segment == segment && place.end <= offset);
  };
  const auto found = std::ranges::partition_point(groups_, lies_before);
  const bool holds =
      found != groups_.end() && found->place.segment == segment && found->place.begin <= offset;
  return holds ? &*found : nullptr;
}

void HeldGroups::Release(Position through) {
  while (!groups_.empty() && groups_.front().last <= through) {
    const SegmentSpan place = groups_.front().place;
    if (place.segment != released_.segment || place.begin != released_.end) released_ = place;
    released_.end = place.end;
    DropFirst();
  }
}

void HeldGroups::Clear() {
  groups_.clear();
  bytes_ = 0;
}

void HeldGroups::DropFirst() {
  bytes_ -= BytesOf(groups_.front());
  groups_.pop_front();
}

}  // namespace tidemark::edge

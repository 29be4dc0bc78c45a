#pragma once
// All lanes of a queue, found by id or by name. Ids are dense and stay valid until the lane is
// forgotten.

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "lake/engine/lane.h"

namespace tidemark::lake {

class LaneTable {
 public:
  std::optional<LaneId> Find(std::string_view name) const;
  // The name must be new; it is copied.
  LaneId Add(std::string_view name);
  // The lane must hold nothing and wait for nothing; its id is used again.
  void Forget(LaneId id);

  Lane& operator[](LaneId id) { return lanes_[id]; }

  const Lane& operator[](LaneId id) const { return lanes_[id]; }

  std::size_t size() const { return by_name_.size(); }

  // Calls visit(id, lane) for every lane, in no particular order; the table must not change
  // meanwhile.
  template <typename Visit>
  void ForEach(Visit visit) const {
    for (const auto& [name, id] : by_name_) visit(id, lanes_[id]);
  }

 private:
  std::deque<Lane> lanes_;
  std::vector<LaneId> free_;
  std::unordered_map<std::string, LaneId> by_name_;  // owns the names that lanes view
};

}  // namespace tidemark::lake

#pragma once
// All lanes of a queue, found by id or by name. Ids are dense and stay valid until the lane is
// forgotten. Made for a million lanes: beside the lane itself one costs its name's bytes and a few
// more.

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "lake/engine/lane.h"

namespace tidemark::lake {

class LaneTable {
 public:
  std::optional<LaneId> Find(std::string_view name) const;
  // The name must be new; it is copied.
  LaneId Add(std::string_view name);
  // The lane must hold nothing and wait for nothing; its id is used again. The bytes of its name
  // are not: who forgets a lane remembers its position under that name, which takes more.
  void Forget(LaneId id);

  Lane& operator[](LaneId id) { return lanes_[id]; }

  const Lane& operator[](LaneId id) const { return lanes_[id]; }

  std::size_t size() const { return lanes_.size() - free_.size(); }

  // Calls visit(id, lane) for every lane, in no particular order; the table must not change
  // meanwhile.
  template <typename Visit>
  void ForEach(Visit visit) const {
    for (LaneId id = 0; id < lanes_.size(); ++id) {
      if (lanes_[id].name.data() != nullptr) visit(id, lanes_[id]);
    }
  }

 private:
  std::string_view Keep(std::string_view name);
  std::size_t HomeOf(std::string_view name) const;
  // Where the id of `name` stands in slots_, or the empty slot where it belongs.
  std::size_t SlotOf(std::string_view name) const;
  void Grow();

  std::deque<Lane> lanes_;  // those of free_ have no name
  std::vector<LaneId> free_;
  // Open addressing with linear probing, at most half full; a power of two.
  std::vector<LaneId> slots_;
  // The names that lanes view, one after the other.
  std::vector<std::unique_ptr<char[]>> blocks_;
  char* block_end_ = nullptr;   // of the last block
  std::size_t block_left_ = 0;  // unused before it
};

}  // namespace tidemark::lake

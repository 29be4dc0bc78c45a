#pragma once
// The declared places of a document as a tree of keys: one pass over a document fills a slot for
// each, and knows every leaf that none declares. Built once a data set. Pure.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tidemark::edge {

class JsonShape {
 public:
  static constexpr int kNone = -1;

  struct Node {
    std::vector<std::string> keys;  // of the children
    std::vector<int> children;      // their numbers
    // Where the value here is to be kept; kNone: it is only a way to others. What a slot holds is
    // declared with all below it.
    int slot = kNone;
    // How many keys below the root the node lies on the way to the exploded array; kNone: it does
    // not.
    int spine = kNone;
  };

  JsonShape() : nodes_(1) {}

  // The slot of what `pointer` (JSON pointer) names; the same for the same pointer.
  Result<int> AddSlot(std::string_view pointer);

  // Marks the way to the array whose elements become rows, and gives its slot.
  Result<int> AddSpine(std::string_view pointer);

  const Node& node(int number) const { return nodes_[static_cast<std::size_t>(number)]; }

  std::size_t nodes() const { return nodes_.size(); }

  std::size_t slots() const { return slots_; }

  // Keys of the spine, outermost first; empty without one.
  const std::vector<std::string>& spine_keys() const { return spine_keys_; }

 private:
  int Child(int node, const std::string& key);

  std::vector<Node> nodes_;
  std::vector<std::string> spine_keys_;
  std::size_t slots_ = 0;
};

}  // namespace tidemark::edge

#include "edge/dataset/json_shape.h"

#include <algorithm>

#include "edge/dataset/json_pointer.h"

namespace tidemark::edge {

int JsonShape::Child(int node, const std::string& key) {
  Node& parent = nodes_[static_cast<std::size_t>(node)];
  const auto found = std::ranges::find(parent.keys, key);
  if (found != parent.keys.end()) {
    return parent.children[static_cast<std::size_t>(found - parent.keys.begin())];
  }
  const int child = static_cast<int>(nodes_.size());
  parent.keys.push_back(key);
  parent.children.push_back(child);
  nodes_.emplace_back();
  return child;
}

Result<int> JsonShape::AddSlot(std::string_view pointer) {
  TIDEMARK_TRY(const auto keys, ParsePointer(pointer));
  int at = 0;
  for (const std::string& key : keys) at = Child(at, key);
  Node& node = nodes_[static_cast<std::size_t>(at)];
  if (node.slot == kNone) node.slot = static_cast<int>(slots_++);
  return node.slot;
}

Result<int> JsonShape::AddSpine(std::string_view pointer) {
  TIDEMARK_TRY(spine_keys_, ParsePointer(pointer));
  TIDEMARK_TRY(const int slot, AddSlot(pointer));
  int at = 0;
  for (std::size_t depth = 0; depth < spine_keys_.size(); ++depth) {
    nodes_[static_cast<std::size_t>(at)].spine = static_cast<int>(depth);
    at = Child(at, spine_keys_[depth]);
  }
  return slot;
}

}  // namespace tidemark::edge

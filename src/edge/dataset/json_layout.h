#pragma once
// The text around the values of a document: keys, their order, blanks. Producers write one document
// like the one before, and where that text comes again, the values are found by comparing instead
// of taking the document apart. What differs, or is not plainly right, is left to the whole scan
// (JsonScanner), which alone judges. Pure.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "edge/dataset/json_token.h"

namespace tidemark::edge {

// Documents are given with kReadBehind readable bytes behind their end.
class JsonLayout {
 public:
  static constexpr std::size_t kReadBehind = 16;

  // A scalar of a document.
  struct Leaf {
    std::string_view text;  // a string's quotes included
    int slot = 0;           // below 0: it has none
  };

  // Takes the layout of a document that is valid JSON; `leaves` are all its scalars, in their
  // order. There are `slots` slots.
  void Learn(std::string_view document, const std::vector<Leaf>& leaves, std::size_t slots);

  // The document has this layout and is valid JSON: fills the slots of its values, empties the
  // others, and counts values without a slot that are not null. False: not known; then slots hold
  // anything.
  bool Match(std::string_view document, std::vector<Token>& slots, std::int64_t& without) const;

 private:
  // A piece of text, and the slot of the value behind it.
  struct Piece {
    std::uint32_t bytes;
    std::int32_t slot;
  };

  std::string text_;  // the pieces, one behind the other, and kReadBehind bytes
  std::vector<Piece> pieces_;
  std::vector<std::size_t> empty_slots_;  // of no piece
  std::uint32_t tail_bytes_ = 0;          // behind the last value
  bool known_ = false;
};

// The layouts met lately.
class JsonLayouts {
 public:
  // As JsonLayout::Match, of any of them.
  bool Match(std::string_view document, std::vector<Token>& slots, std::int64_t& without);

  // Of a document that none matched: learned now and then, so that documents that never come again
  // cost little.
  bool WantsToLearn() { return misses_++ % kMissesBetween == 0; }

  void Learn(std::string_view document,
             const std::vector<JsonLayout::Leaf>& leaves,
             std::size_t slots);

 private:
  static constexpr std::size_t kLayouts = 4;
  static constexpr std::uint64_t kMissesBetween = 16;

  std::array<JsonLayout, kLayouts> layouts_;
  std::size_t last_ = 0;  // matched or learned last
  std::uint64_t misses_ = 0;
};

}  // namespace tidemark::edge

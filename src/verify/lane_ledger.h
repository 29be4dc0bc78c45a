#pragma once
// What is known of every lane (partition) of one queue while its windows are read in order: enough
// to tell a repeated row, a hole and a re-created partition without remembering rows. Pure; one
// thread.
//
// Why the last (offset, ts) is enough: within a lane, offsets and ts rise together, and windows are
// disjoint ranges of ts read in order. A row at or below the last offset is therefore either here
// already, or of a partition that was deleted and created anew; the latter has a later ts and
// begins in a later window (two incarnations of a lane never share a window). So (partition,
// offset, ts) stays unique exactly when no row is kRepeated.

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "format/window.h"

namespace tidemark::verify {

class LaneLedger {
 public:
  enum class Step {
    kFits,
    kNewIncarnation,
    kRepeated,  // not later than what the lane already holds; not entered
    kTimeBack,  // the offset rises, the ts falls; entered
  };

  // Offsets the lane jumped over.
  struct Gap {
    format::LostRange range;
    format::WindowNumber k;  // whose row came after the gap
  };

  void BeginWindow(format::WindowNumber k) { window_ = k; }

  // The next row, in the order of the lake.
  Step Add(std::string_view partition, Offset offset, Micros ts);

  // Rows that should be here could not be read: jumps across this point are no holes.
  void SkipUnknown() { ++epoch_; }

  // Of the window that was begun, before its rows. A lane whose first offset is told lost although
  // it had come further was created anew: offset 0 is accounted for once in its life. So was a
  // lane whose first row is of an offset that had been told lost.
  void AddLost(format::LostRange range);

  // Where the lane stands, for words: kInvalid offsets never occur, the lane must exist.
  struct Position {
    Offset offset;
    Micros ts;
  };

  Position At(std::string_view partition) const;

  std::int64_t lanes() const { return static_cast<std::int64_t>(lanes_.size()); }

  std::int64_t recreated() const { return recreated_; }

  // What no lost range explains, in lane order; and what a lost range claims although it was read.
  // At the end, since a loss may be listed in an earlier window than the rows before it.
  std::vector<Gap> UnexplainedGaps() const;
  std::vector<format::LostRange> FalseLosses() const;

 private:
  struct Lane {
    Offset first;
    Offset last;
    Micros last_ts;
    format::WindowNumber window;
    std::int64_t epoch = 0;
    bool is_whole = true;  // one incarnation, every row of it seen
  };

  struct NameHash {
    using is_transparent = void;

    std::size_t operator()(std::string_view name) const {
      return std::hash<std::string_view>()(name);
    }
  };

  using Lanes = std::unordered_map<std::string, Lane, NameHash, std::equal_to<>>;

  Lane* Find(std::string_view partition);

  Lanes lanes_;
  Lanes::value_type* current_ = nullptr;  // rows come lane by lane
  format::WindowNumber window_;
  std::int64_t epoch_ = 0;
  std::int64_t recreated_ = 0;
  std::vector<Gap> gaps_;
  std::vector<format::LostRange> lost_;
  // The last offset told lost of lanes without a row.
  std::unordered_map<std::string, Offset, NameHash, std::equal_to<>> lost_unseen_;
};

}  // namespace tidemark::verify

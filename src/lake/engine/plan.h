#pragma once
// One window, decided: what the commit writes. Buffered, or to be read from the log again when it
// does not fit.

#include <cstdint>
#include <string>
#include <vector>

#include "format/window.h"
#include "lake/engine/lane.h"

namespace tidemark::lake {

struct PlannedLane {
  std::string partition;
  std::vector<Run> runs;  // ascending; all records in the window; empty when read from the log
  Offset from;            // first offset to look at; for reading from the log
  // The record before `from` is to be looked at: the partition may have been created anew.
  bool check = false;
  bool doubtful = false;  // `from` is of an old checkpoint: what is lost above may be shipped
};

// A partition that turned out to be another one than was planned, and what its log holds.
struct Successor {
  std::string partition;
  Offset log_start;
  Offset head;  // next offset to be assigned
};

struct WindowFacts {
  std::int64_t records = 0;
  std::int64_t partitions = 0;  // lanes with at least one record
  std::int64_t weight = 0;
  Micros min_ts = kPlusInfinity;
  Micros max_ts = kMinusInfinity;
};

struct Plan {
  format::Window window;
  std::vector<format::LostRange> lost;
  std::int64_t holes = 0;          // offsets of `lost` that retention did not take
  std::vector<PlannedLane> lanes;  // ascending by name bytes
  WindowFacts facts;               // of the buffered records; empty when read from the log
  bool from_log = false;
  bool redo = false;  // the intent is written already
};

}  // namespace tidemark::lake

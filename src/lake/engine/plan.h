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
  Offset log_start = {};  // as far as known; beyond `from`: the rest is lost
  bool doubtful = false;  // `from` is of an old checkpoint: what is lost above may be shipped
};

// A partition that is another one than was planned, and what its log holds now.
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

// More runs of offsets than this are not kept: what they are for (naming what a redo cannot build)
// is not worth the memory then.
inline constexpr std::size_t kRowRunsMax = 1'000;

// The runs of offsets of its buffered records; empty when there are more than kRowRunsMax.
std::vector<format::LostRange> RowsOf(const Plan& plan);

}  // namespace tidemark::lake

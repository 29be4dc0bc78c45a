#pragma once
// What the engine keeps of one partition: flat and small, since a queue may have a million of them.

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/strong_int.h"
#include "base/time.h"
#include "queen/types.h"

namespace tidemark::lake {

using LaneId = std::uint32_t;

// Consecutive records of one lane inside one fetch answer. Copies share the answer.
struct Run {
  std::shared_ptr<const queen::AnswerBody> body;
  std::uint32_t begin = 0;  // in body->records()
  std::uint32_t end = 0;

  bool empty() const { return begin == end; }

  std::span<const queen::RecordSlice> view() const {
    return body->records().subspan(begin, end - begin);
  }

  const queen::RecordSlice& front() const { return body->records()[begin]; }

  const queen::RecordSlice& back() const { return body->records()[end - 1]; }
};

// The part of `run` with ts < `t`; the rest is left in `run`. Timestamps never fall within a lane.
Run SplitBelow(Run& run, Micros t);

// What a record counts toward window size and memory (queen-interface 4.1).
std::int64_t RecordWeight(const queen::RecordSlice& record, std::string_view partition);

struct Lane {
  std::string_view name;
  Offset next;  // first offset not yet read; while sought, the one to probe
  // Everything below is in a window, or told lost, or never was wanted. Equal to position() unless
  // offsets between the two are in no record (LaneGaps).
  Offset settled;
  Offset last{-1};                   // last offset known to exist
  Offset log_start;                  // first offset retention still holds, as far as known
  Micros frontier = kMinusInfinity;  // no unread record is older; meaningful while unread
  std::vector<Run> runs;             // read, not yet in a window; ascending
  std::uint32_t named_at = 0;        // window number when discovery last named it
  // Doublings of the bytes to ask for: the last answer was too small for one segment.
  std::uint8_t widen = 0;
  bool hole_at_head = false;  // asked alone and with the largest share, `next` gave nothing
  bool seeking = false;       // its first wanted record is being looked for
  bool gapped = false;        // known to LaneGaps
  // `settled` is of a checkpoint older than the last committed window, and no wanted record was
  // read yet: what seems lost may have been shipped since.
  bool doubtful = false;
  bool outstanding = false;  // a fetch for it is under way
  bool queued = false;       // stands in the ready queue

  bool unread() const { return next <= last; }

  // The first offset that is in no window: read or not.
  Offset position() const { return runs.empty() ? next : runs.front().front().offset; }
};

}  // namespace tidemark::lake

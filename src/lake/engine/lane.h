#pragma once
// What the engine keeps of one partition: flat and small, since a queue may have a million of them.

#include <algorithm>
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
  Micros frontier = kMinusInfinity;  // no unread record is older; meaningful while wanted
  // Of the record before `next`, or (not `prior_exact`) above it; kMinusInfinity: not known.
  Micros prior_ts = kMinusInfinity;
  std::vector<Run> runs;       // read, not yet in a window; ascending
  std::uint32_t named_at = 0;  // window number when discovery last named it
  // The newest discovery page asked for when the lane was found created anew: that page and older
  // ones may still tell of its predecessor.
  std::uint32_t renewed_at = 0;
  std::uint32_t written = 0;  // the last write discovery told of: low bits of its microseconds
  // Doublings of the bytes to ask for: the last answer was too small for one segment.
  std::uint8_t widen = 0;
  bool hole_at_head = false;  // asked alone and with the largest share, `next` gave nothing
  bool seeking = false;       // its first wanted record is being looked for
  bool gapped = false;        // known to LaneGaps
  // `settled` is of a checkpoint older than the last committed window, and no wanted record was
  // read yet: what seems lost may have been shipped since.
  bool doubtful = false;

  // Whether the partition is still the one that was read (decision 5).
  bool prior_exact = false;
  bool check = false;        // to be seen: the next fetch looks at the record before `next`
  bool check_again = false;  // and once more after the fetch under way, which may be too old
  bool unsure = false;       // what lies from `next` to `last` may be of a successor
  bool renewing = false;     // a successor: `next` on waits until `runs`, of the former, are taken
  bool capped = false;       // renewing, and `frontier` is the successor's first timestamp
  bool outstanding = false;  // a fetch for it is under way
  bool queued = false;       // stands in the ready queue

  bool unread() const { return next <= last; }

  // One past the last offset known to exist that is surely not a successor's.
  Offset known_end() const { return unsure ? next : std::max(next, last + 1); }

  // To be fetched, now or after what is under way.
  bool wanted() const { return (unread() || check) && !capped; }

  // Where a fetch begins: a check looks at the record before, if that is known and still there.
  Offset ask_from() const {
    const bool has_prior = prior_ts != kMinusInfinity && next > log_start && next > Offset(0);
    return check && has_prior && !seeking ? next - 1 : next;
  }

  // The first offset that is in no window: read or not.
  Offset position() const { return runs.empty() ? next : runs.front().front().offset; }
};

}  // namespace tidemark::lake

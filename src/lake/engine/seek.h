#pragma once
// Finds the first record of a lane at or after a time with few small reads: back from the head in
// doubling steps, then by bisection (queen-interface 6.1). Sound because timestamps never fall
// within a lane.

#include <cstdint>
#include <optional>
#include <span>

#include "base/strong_int.h"
#include "base/time.h"
#include "queen/types.h"

namespace tidemark::lake {

class Seek {
 public:
  // Over the offsets log_start .. last; `last` below `log_start` is an empty lane.
  Seek(Micros t, Offset log_start, Offset last);

  // The first offset with ts >= t, or the head when there is none yet; nullopt while it is not
  // known.
  std::optional<Offset> answer() const;

  // The offset to read next; only while there is no answer.
  Offset probe() const;

  // What a read at probe() gave: records from there on, ascending.
  void OnRecords(std::span<const queen::RecordSlice> records);
  // Nothing, although the offset is inside the log: too little was asked for. Counts as a probe.
  void OnNothing();
  // The log's bounds, when the probe lay outside of them.
  void OnBounds(Offset log_start, Offset high_watermark);

  // The smallest offset known to have ts >= t; the head for none.
  Offset known_from() const { return at_; }

  // Retention up to `log_start` took offsets that are known to have ts >= t.
  bool Loses(Offset log_start) const { return seen_ && at_ < log_start; }

  // More probes were made than any search needs: give up, read from the log start.
  bool exhausted() const { return probes_ > probes_max_; }

  std::int64_t probes() const { return probes_; }

 private:
  Micros t_;
  Offset log_start_;
  Offset below_;  // the largest offset known to be before t; log start - 1 for none
  Offset at_;     // the smallest known to be at or after t; the head for none
  Offset head_;
  std::int64_t step_ = 1;
  bool bracketed_ = false;  // below_ was seen, not only assumed
  bool seen_ = false;       // so was at_
  std::int64_t probes_ = 0;
  std::int64_t probes_max_;
};

}  // namespace tidemark::lake

#pragma once
// When a window may close, and where: the rules of queen-interface 4.3 as changed by the decisions
// on the aged and the size trigger. A function of broker timestamps only.

#include <cstdint>
#include <optional>

#include "base/time.h"
#include "format/form.h"
#include "lake/engine/window_buffer.h"

namespace tidemark::lake {

struct ClosingRules {
  std::int64_t target_bytes = std::int64_t{128} << 20;  // weight, i.e. uncompressed
  std::int64_t window_us_max = 300 * kMicrosPerSecond;
  std::int64_t guard_us = 5 * kMicrosPerSecond;
  format::Align align = format::Align::kHour;
};

// What is known at one moment.
struct Horizon {
  Micros t_prev;               // end of the last window; kMinusInfinity before the first
  Micros pass_safe;            // safe time of the last complete discovery pass
  Micros min_frontier;         // no unread record is older; kPlusInfinity when nothing is unread
  Micros cut = kPlusInfinity;  // a window must end here: a partition was created anew

  // Everything strictly below is read.
  Micros Readable(const ClosingRules& rules) const;
};

struct Close {
  Micros start;
  Micros end;
};

// Where the next window begins when nothing has been committed and `first` is the oldest record; or
// t_prev.
Micros WindowStart(const ClosingRules& rules, Micros t_prev, Micros first);

// The end of the alignment interval that `start` lies in; kPlusInfinity without alignment.
Micros AlignmentEnd(const ClosingRules& rules, Micros start);

// `t_prev` moved over alignment intervals that are known to be empty: they get no window.
Micros SkipEmptyIntervals(const ClosingRules& rules,
                          const Horizon& horizon,
                          std::optional<Micros> first);

// The window to close now, or nullopt. Never empty, never above what is readable, never across an
// alignment boundary. `forced`: memory or shutdown; closes at the largest legal end.
std::optional<Close> ChooseClose(const ClosingRules& rules,
                                 const Horizon& horizon,
                                 const WindowBuffer& buffer,
                                 bool forced);

}  // namespace tidemark::lake

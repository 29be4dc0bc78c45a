#include "lake/engine/closing.h"

#include <algorithm>

namespace tidemark::lake {

namespace {

struct Candidate {
  Micros start;
  Micros boundary;
  Micros readable;
  Micros cap;
};

// The size trigger. Crossing the target at the last held timestamp leaves the end open: more
// records of later timestamps may lie unread, and the first of them is where the window ends.
std::optional<Micros> SizeEnd(const ClosingRules& rules,
                              const Horizon& horizon,
                              const WindowBuffer& buffer,
                              const Candidate& c) {
  if (const auto end = buffer.SizeBoundary(rules.target_bytes, c.cap)) return end;
  const bool all_read = horizon.min_frontier == kPlusInfinity && buffer.last_ts() < c.cap;
  if (all_read && buffer.ReachesBelow(rules.target_bytes, c.cap)) return c.cap;
  return std::nullopt;
}

// Without alignment a backlog is cut on a grid that does not depend on when records arrive.
std::optional<Micros> GridEnd(const ClosingRules& rules, const Candidate& c, Micros first) {
  if (rules.align != format::Align::kNone) return std::nullopt;
  const std::int64_t intervals = (first - c.start) / rules.window_us_max + 1;
  const Micros end = c.start + intervals * rules.window_us_max;
  return end <= c.cap ? std::optional(end) : std::nullopt;
}

// Only the open interval ages: a closed one ends at its boundary, whenever it is read.
bool Aged(const ClosingRules& rules, const Horizon& horizon, const Candidate& c) {
  const Micros guarded = horizon.pass_safe - rules.guard_us;
  return horizon.pass_safe - c.start >= rules.window_us_max && c.boundary > guarded &&
         c.readable == guarded;
}

}  // namespace

Micros Horizon::Readable(const ClosingRules& rules) const {
  return std::min({pass_safe - rules.guard_us, min_frontier, cut});
}

Micros WindowStart(const ClosingRules& rules, Micros t_prev, Micros first) {
  if (t_prev != kMinusInfinity) return t_prev;
  return rules.align == format::Align::kNone ? first
                                             : FloorTo(first, format::AlignUnit(rules.align));
}

Micros AlignmentEnd(const ClosingRules& rules, Micros start) {
  return rules.align == format::Align::kNone ? kPlusInfinity
                                             : NextMultiple(start, format::AlignUnit(rules.align));
}

Micros SkipEmptyIntervals(const ClosingRules& rules,
                          const Horizon& horizon,
                          std::optional<Micros> first) {
  if (rules.align == format::Align::kNone || horizon.t_prev == kMinusInfinity) {
    return horizon.t_prev;
  }
  const Micros known_empty_to = std::min(first.value_or(kPlusInfinity), horizon.Readable(rules));
  if (known_empty_to < horizon.t_prev) return horizon.t_prev;
  return std::max(horizon.t_prev, FloorTo(known_empty_to, format::AlignUnit(rules.align)));
}

std::optional<Close> ChooseClose(const ClosingRules& rules,
                                 const Horizon& horizon,
                                 const WindowBuffer& buffer,
                                 bool forced) {
  const auto first = buffer.first_ts();
  Candidate c{.start = {}, .boundary = {}, .readable = horizon.Readable(rules), .cap = {}};
  if (!first || *first >= c.readable) return std::nullopt;
  c.start = WindowStart(rules, horizon.t_prev, *first);
  c.boundary = AlignmentEnd(rules, c.start);
  c.cap = std::min(c.readable, c.boundary);
  if (c.cap <= c.start || *first >= c.cap) return std::nullopt;

  if (const auto end = SizeEnd(rules, horizon, buffer, c)) return Close{c.start, *end};
  if (c.cap == c.boundary) return Close{c.start, c.boundary};
  if (const auto end = GridEnd(rules, c, *first)) return Close{c.start, *end};
  if (c.cap == horizon.cut) return Close{c.start, c.cap};
  if (Aged(rules, horizon, c) || forced) return Close{c.start, c.cap};
  return std::nullopt;
}

}  // namespace tidemark::lake

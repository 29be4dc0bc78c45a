#include "lake/engine/engine.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace tidemark::lake {

namespace {

// A lane that discovery has not named for two full sweeps was deleted (queen-interface 2.3).
constexpr std::int64_t kPruneAfterWindows = 2 * kFullSweepEvery;

}  // namespace

WindowEngine::WindowEngine(EngineOptions options, EngineStart start, MemoryBudget& budget)
    : options_(std::move(options)),
      budget_(budget),
      committed_k_(start.committed_k),
      committed_end_(start.t_prev),
      t_prev_(start.t_prev),
      checkpoint_k_(start.checkpoint ? std::optional(start.checkpoint->k) : std::nullopt),
      seek_new_lanes_(!start.checkpoint && start.t_prev != kMinusInfinity),
      redo_(std::move(start.redo)),
      buffer_(lanes_),
      gaps_(lanes_),
      planner_(options_.fetch, lanes_, budget) {
  if (!start.checkpoint) return;
  known_positions_.reserve(start.checkpoint->positions.size());
  for (auto& entry : start.checkpoint->positions) {
    known_positions_.emplace(
        std::move(entry.partition),
        KnownPosition{.next = entry.next, .below = start.checkpoint->t_end, .of_checkpoint = true});
  }
}

EngineActions WindowEngine::Poll() {
  EngineActions actions;
  actions.plan = NextPlan();
  ScheduleFetches(actions);
  while (!actions.plan && !committing_ && planner_.starved() && planner_.idle()) {
    const std::int64_t held = buffer_.weight();
    actions.plan = RelieveMemory();
    if (buffer_.weight() == held) break;
    ScheduleFetches(actions);
  }
  actions.discover = pass_.NextPage(options_.queue, t_prev_);
  if (actions.discover) ++page_;
  actions.recreated = std::exchange(recreated_, {});
  AskForAudit(actions);
  forced_ = false;
  return actions;
}

Horizon WindowEngine::CurrentHorizon() const {
  return {.t_prev = t_prev_,
          .pass_safe = *pass_.complete_safe(),
          .min_frontier = planner_.MinFrontier(),
          .cut = Cut()};
}

// One interval beyond what may close next: enough to keep reading while a window is written, no
// more.
Micros WindowEngine::FetchCeiling() const {
  if (!pass_.complete_safe()) return kMinusInfinity;
  if (read_below_ != kPlusInfinity) return read_below_ - 1;
  const auto& rules = options_.rules;
  const Micros guarded = *pass_.complete_safe() - rules.guard_us;
  const std::int64_t unit = format::AlignUnit(rules.align);
  const auto first = buffer_.first_ts();
  if (t_prev_ == kMinusInfinity && !first) return guarded;
  const Micros start = WindowStart(rules, t_prev_, first.value_or(t_prev_));
  return std::min(guarded, AlignmentEnd(rules, start)) + (unit != 0 ? unit : rules.window_us_max);
}

void WindowEngine::ScheduleFetches(EngineActions& actions) {
  // A redo, and a window too heavy for memory, are read by the commit itself, one answer at a time.
  if (committing_from_log_ || fault_) return;
  // Reading goes on while a window is written, but what is held stays at one window and a little.
  const std::int64_t held = committing_weight_ + buffer_.weight();
  if (committing_ && held >= options_.fetch.read_ahead_bytes) return;
  if (planner_.MinFrontier() >= read_below_) read_below_ = kPlusInfinity;
  const Micros ceiling = FetchCeiling();
  while (auto call = planner_.NextCall(options_.queue, ceiling, buffer_.weight())) {
    actions.fetches.push_back(std::move(*call));
  }
}

std::optional<Plan> WindowEngine::NextPlan() {
  if (committing_ || fault_ || !audited_.empty() || !pass_.complete_safe()) return std::nullopt;
  if (redo_) {
    if (seeking() || *pass_.complete_safe() < redo_->window.end) return std::nullopt;
    Plan plan = PlanFromLog(redo_->window);
    plan.redo = true;
    plan.lost = redo_->lost;  // what was found since belongs to a later window
    return plan;
  }
  t_prev_ = SkipEmptyIntervals(options_.rules, CurrentHorizon(), buffer_.first_ts());
  const auto close = ChooseClose(options_.rules, CurrentHorizon(), buffer_, forced_);
  if (!close) return std::nullopt;
  return TakePlan(*close);
}

// Not before every loss that it would report is certain.
std::optional<Plan> WindowEngine::TakePlan(const Close& close) {
  audit_due_ = !gaps_.Doubtful().empty();
  if (audit_due_) return std::nullopt;
  Plan plan;
  plan.window = {.k = committed_k_ + 1, .start = close.start, .end = close.end};
  plan.lost = std::exchange(lost_, {});
  gaps_.TakeBelow(close.end, plan);
  buffer_.TakeBelow(close.end, plan);
  FinishRenewing();
  read_below_ = kPlusInfinity;
  committing_ = plan.window;
  committing_first_ = plan.facts.min_ts;
  committing_weight_ = plan.facts.weight;
  t_prev_ = close.end;
  return plan;
}

Plan WindowEngine::PlanFromLog(format::Window window) {
  Plan plan;
  plan.window = window;
  plan.from_log = true;
  AbandonRenewing();
  buffer_.Clear();
  read_below_ = kPlusInfinity;
  lanes_.ForEach([&](LaneId, const Lane& lane) {
    if (lane.settled > lane.last && !lane.check) return;
    plan.lanes.push_back({.partition = std::string(lane.name),
                          .runs = {},
                          .from = lane.settled,
                          .check = lane.check,
                          .doubtful = lane.doubtful});
  });
  std::ranges::sort(plan.lanes, {}, &PlannedLane::partition);
  committing_ = window;
  committing_first_ = window.start;
  committing_from_log_ = true;
  return plan;
}

// No room, nothing under way, no window due: close early, or give the newest records back to the
// log, or, when even one timestamp does not fit, have the window read from the log lane by lane.
std::optional<Plan> WindowEngine::RelieveMemory() {
  if (!audited_.empty() || !pass_.complete_safe() || !buffer_.first_ts()) return std::nullopt;
  const Horizon horizon = CurrentHorizon();
  if (const auto close = ChooseClose(options_.rules, horizon, buffer_, /*forced=*/true)) {
    return TakePlan(*close);
  }
  const Micros first = *buffer_.first_ts();
  if (first < buffer_.last_ts() || horizon.min_frontier < first) {
    for (const LaneId id : buffer_.DropNewest()) {
      Lane& lane = lanes_[id];
      // Without a held record the one before is of an earlier window.
      lane.prior_exact = !lane.runs.empty();
      lane.prior_ts = lane.prior_exact ? lane.runs.back().back().ts : t_prev_;
      read_below_ = std::min(read_below_, lane.frontier);
      Requeue(id);
    }
    buffer_.Compact(budget_);
    return std::nullopt;
  }
  const Micros start = WindowStart(options_.rules, t_prev_, first);
  const Micros end = std::min(AlignmentEnd(options_.rules, start),
                              *pass_.complete_safe() - options_.rules.guard_us);
  if (end <= first) return std::nullopt;
  Plan plan = PlanFromLog({.k = committed_k_ + 1, .start = start, .end = end});
  plan.lost = std::exchange(lost_, {});
  t_prev_ = end;
  return plan;
}

void WindowEngine::OnCommitted(const std::vector<format::Checkpoint::Position>& positions,
                               std::vector<format::LostRange> lost_unreported,
                               const std::vector<Successor>& successors) {
  TIDEMARK_CHECK(committing_.has_value(), "nothing was given out to commit");
  committed_k_ = committing_->k;
  committed_end_ = committing_->end;
  t_prev_ = std::max(t_prev_, committed_end_);
  const bool redone = std::exchange(redo_, std::nullopt).has_value();
  EndCommit(positions, std::move(lost_unreported), successors);
  if (redone) lanes_.ForEach([this](LaneId id, const Lane&) { Requeue(id); });
  buffer_.Compact(budget_);
  if (committed_k_.value() % kFullSweepEvery == 0) Prune();
}

void WindowEngine::OnNothingToCommit(const std::vector<format::Checkpoint::Position>& positions,
                                     std::vector<format::LostRange> lost,
                                     const std::vector<Successor>& successors) {
  TIDEMARK_CHECK(committing_from_log_ && !redo_, "a buffered window has records");
  t_prev_ = committed_end_;
  EndCommit(positions, std::move(lost), successors);
}

void WindowEngine::EndCommit(const std::vector<format::Checkpoint::Position>& positions,
                             std::vector<format::LostRange> lost,
                             const std::vector<Successor>& successors) {
  const Micros read_to = committing_->end;
  committing_.reset();
  committing_weight_ = 0;
  committing_from_log_ = false;
  for (const Successor& successor : successors) {
    const auto id = lanes_.Find(successor.partition);
    if (id) Renew(*id, successor.log_start, successor.head);
  }
  for (const auto& entry : positions) {
    const auto id = lanes_.Find(entry.partition);
    if (!id) continue;
    Lane& lane = lanes_[*id];
    lane.next = std::max(lane.next, entry.next);
    lane.frontier = std::max(lane.frontier, read_to);
    lane.prior_ts = lane.next == entry.next ? read_to : kMinusInfinity;
    lane.prior_exact = false;
    gaps_.Settle(*id, entry.next);
    Requeue(*id);
  }
  for (auto& range : Normalized(std::move(lost))) CarryOver(std::move(range));
  pass_.MakeDue();
}

// A loss that no manifest tells yet is a gap of its lane again: until one does, the checkpoint
// names the position before it, and a crash finds it there.
void WindowEngine::CarryOver(format::LostRange range) {
  const auto id = lanes_.Find(range.partition);
  if (id && lanes_[*id].settled == range.to + 1) {
    gaps_.NoteOverrun(*id, range.from, range.to);
    lanes_[*id].settled = range.from;
  } else {
    lost_.push_back(std::move(range));
  }
}

void WindowEngine::AskForAudit(EngineActions& actions) {
  if (!std::exchange(audit_due_, false)) return;
  audited_ = gaps_.Doubtful();
  for (const LaneId id : audited_) actions.audit.emplace_back(lanes_[id].name);
}

void WindowEngine::OnAudited(const std::vector<format::Checkpoint::Position>& shipped) {
  for (const auto& entry : shipped) {
    const auto id = lanes_.Find(entry.partition);
    TIDEMARK_CHECK(id.has_value(), "an audit of lane {}, which is not known", entry.partition);
    Lane& lane = lanes_[*id];
    // Beyond what this partition has, or what was taken of it: those windows are of a deleted
    // predecessor.
    if (entry.next > (lane.runs.empty() ? lane.last + 1 : lane.position())) continue;
    // Shipped, and not read so far: retention is ahead of what could be filtered.
    if (lane.runs.empty() && lane.next < entry.next) {
      lane.next = std::min(entry.next, lane.last + 1);
      Requeue(*id);
    }
    lane.settled = std::clamp(entry.next, lane.settled, lane.position());
  }
  for (const LaneId id : audited_) lanes_[id].doubtful = false;
  audited_.clear();
}

void WindowEngine::Prune() {
  std::vector<LaneId> gone;
  lanes_.ForEach([&](LaneId id, const Lane& lane) {
    const bool idle =
        !lane.wanted() && !lane.outstanding && lane.runs.empty() && lane.settled == lane.next;
    if (idle && committed_k_.value() - lane.named_at > kPruneAfterWindows) gone.push_back(id);
  });
  for (const LaneId id : gone) {
    known_positions_[std::string(lanes_[id].name)] = {.next = lanes_[id].next,
                                                      .below = committed_end_};
    gaps_.Settle(id, lanes_[id].next);
    lanes_.Forget(id);
  }
}

format::Checkpoint WindowEngine::Positions() const {
  TIDEMARK_CHECK(!committing_, "positions while a window is being written would skip its records");
  TIDEMARK_CHECK(!seeking(), "positions of {} lanes are not known yet", seeks_.size());
  format::Checkpoint checkpoint{.k = committed_k_, .t_end = committed_end_, .positions = {}};
  checkpoint.positions.reserve(lanes_.size() + known_positions_.size());
  lanes_.ForEach([&](LaneId, const Lane& lane) {
    checkpoint.positions.push_back({.partition = std::string(lane.name), .next = lane.settled});
  });
  for (const auto& [name, known] : known_positions_) {
    checkpoint.positions.push_back({.partition = name, .next = known.next});
  }
  return checkpoint;
}

Micros WindowEngine::CompleteThrough() {
  complete_through_ = std::max(complete_through_, committed_end_);
  if (!redo_ && pass_.complete_safe()) {
    Micros through = CurrentHorizon().Readable(options_.rules);
    if (buffer_.first_ts()) through = std::min(through, *buffer_.first_ts());
    if (committing_) through = std::min(through, committing_first_);
    complete_through_ = std::max(complete_through_, through);
  }
  return complete_through_;
}

Micros WindowEngine::GuardedSafeTime() const {
  return pass_.complete_safe() ? *pass_.complete_safe() - options_.rules.guard_us : kMinusInfinity;
}

EngineStats WindowEngine::Stats() const {
  EngineStats stats = stats_;
  stats.buffered_bytes = buffer_.weight();
  stats.committing_bytes = committing_weight_;
  stats.lanes = static_cast<std::int64_t>(lanes_.size());
  stats.passes = pass_.completed();
  return stats;
}

}  // namespace tidemark::lake

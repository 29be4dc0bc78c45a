#include "lake/engine/fetch_planner.h"

#include <algorithm>

#include "base/check.h"

namespace tidemark::lake {

namespace {

constexpr std::int64_t kEntryBytesMin = 8 << 10;
constexpr std::int64_t kCheckBytesMin = 64 << 10;
constexpr std::int64_t kCallBytesMin = 64 << 10;
constexpr std::int64_t kProbeBytes = 4 << 10;
// One segment, however large, must fit: the broker delivers the first of a call whatever the
// budgets say.
constexpr std::int64_t kLoneAnswerBytes = std::int64_t{72} << 20;

// Enough to reach the largest share from the smallest.
constexpr std::uint8_t kWidenToTheMost = 11;

constexpr std::int64_t kBoundSlackBytes = 256 << 10;
constexpr double kExpansionMin = 1.125;
constexpr double kExpansionMax = 32;

}  // namespace

FetchPlanner::FetchPlanner(FetchLimits limits, LaneTable& lanes, MemoryBudget& budget)
    : limits_(limits), lanes_(lanes), budget_(budget), call_bytes_(limits.call_bytes) {}

void FetchPlanner::Enqueue(LaneId id) {
  Lane& lane = lanes_[id];
  TIDEMARK_CHECK(!lane.outstanding && lane.wanted(), "lane {}", lane.name);
  if (!lane.queued) ++queued_;
  lane.queued = true;
  ready_.emplace(lane.frontier, id);
}

void FetchPlanner::Dequeue(LaneId id) {
  if (std::exchange(lanes_[id].queued, false)) --queued_;
}

void FetchPlanner::DropStale() const {
  while (!ready_.empty()) {
    const auto& [frontier, id] = ready_.top();
    if (lanes_[id].queued && lanes_[id].frontier == frontier) return;
    ready_.pop();
  }
}

Micros FetchPlanner::MinFrontier() const {
  DropStale();
  Micros lowest = ready_.empty() ? kPlusInfinity : ready_.top().first;
  for (const auto& [id, call] : open_) lowest = std::min(lowest, call.min_frontier);
  return lowest;
}

FetchPlanner::Share FetchPlanner::ShareOf(const Lane& lane, std::int64_t per_lane) const {
  if (lane.seeking) {
    const std::int64_t probe = std::min(kProbeBytes << lane.widen, queen::kFetchEntryBytesMax);
    return {.asked = probe, .expected = probe};
  }
  const std::int64_t unread = lane.last - lane.ask_from() + 1;
  const std::int64_t estimate = std::min(unread, std::int64_t{10'000}) * record_bytes_ * 5 / 4;
  // The record before may end a long segment, all of which counts; more may have come meanwhile.
  const std::int64_t least = lane.check ? kCheckBytesMin : kEntryBytesMin;
  const std::int64_t most = std::max(least, per_lane);
  const std::int64_t widened = std::clamp(estimate, least, most) << lane.widen;
  const std::int64_t asked = std::min(widened, queen::kFetchEntryBytesMax);
  const std::int64_t expected = std::max(estimate << lane.widen, lane.check ? asked / 16 : 0);
  return {.asked = asked, .expected = std::min(asked, expected)};
}

// Answers hold field names and, from other brokers, decompressed segments: room for more than is
// expected, as experience has it.
std::int64_t FetchPlanner::BoundOf(std::int64_t expected_bytes) const {
  return static_cast<std::int64_t>(static_cast<double>(expected_bytes) * expansion_) +
         kBoundSlackBytes;
}

// One lane at least, and no more than `room` has room for: in a full budget a draft costs nothing.
FetchPlanner::Draft FetchPlanner::TakeLanes(Micros ceiling,
                                            std::int64_t per_lane,
                                            std::int64_t room) {
  Draft draft;
  auto& entries = draft.call.request.entries;
  for (DropStale(); !ready_.empty() && ready_.top().first <= ceiling; DropStale()) {
    if (draft.open.expected_bytes >= call_bytes_ || entries.size() >= queen::kFetchEntriesMax)
      break;
    const auto [frontier, id] = ready_.top();
    Lane& lane = lanes_[id];
    const auto [bytes, expected] = ShareOf(lane, per_lane);
    // A lane that got nothing even with the largest share is asked alone: then its first segment
    // must come.
    const bool alone = bytes == queen::kFetchEntryBytesMax && lane.widen > 0;
    const bool fits = !alone && BoundOf(draft.open.expected_bytes + expected) <= room;
    if (!fits && !entries.empty()) break;
    ready_.pop();
    lane.queued = false;
    draft.taken.emplace_back(frontier, id);
    entries.push_back(
        {.partition = std::string(lane.name), .offset = lane.ask_from(), .max_bytes = bytes});
    draft.open.lanes.push_back(id);
    draft.open.asked.push_back({.next = lane.next,
                                .from = lane.ask_from(),
                                .head = lane.known_end(),
                                .log_start = lane.log_start,
                                .check = lane.check});
    draft.open.min_frontier = std::min(draft.open.min_frontier, frontier);
    draft.open.expected_bytes += expected;
    draft.open.alone = alone;
    if (alone) break;
  }
  return draft;
}

void FetchPlanner::PutBack(const Draft& draft) {
  for (const Ready& entry : draft.taken) {
    lanes_[entry.second].queued = true;
    ready_.push(entry);
  }
}

std::optional<FetchCall> FetchPlanner::NextCall(const std::string& queue,
                                                Micros ceiling,
                                                std::int64_t held_weight) {
  starved_ = false;
  if (queued_ == 0 || open_.size() >= static_cast<std::size_t>(limits_.concurrency)) {
    return std::nullopt;
  }
  const std::int64_t ahead = std::max(limits_.read_ahead_bytes - held_weight, call_bytes_);
  const std::int64_t per_lane = std::clamp(
      ahead / static_cast<std::int64_t>(queued_), kEntryBytesMin, limits_.entry_bytes_max);
  Draft draft = TakeLanes(ceiling, per_lane, budget_.Room(limits_.keep_free_bytes));
  if (draft.taken.empty()) return std::nullopt;

  const std::int64_t bound =
      draft.open.alone ? kLoneAnswerBytes : BoundOf(draft.open.expected_bytes);
  auto reservation = budget_.TryReserve(bound, limits_.keep_free_bytes);
  // With nothing held and nothing under way the budget is simply too small for one answer: go on
  // all the same.
  if (!reservation && open_.empty() && held_weight == 0) reservation = budget_.ReserveAnyway(bound);
  if (!reservation) {
    PutBack(draft);
    starved_ = true;
    return std::nullopt;
  }
  queued_ -= draft.taken.size();
  draft.call.id = ++last_id_;
  draft.call.request.queue = queue;
  draft.call.request.max_answer_bytes = static_cast<std::uint64_t>(bound);
  draft.open.reservation = std::move(*reservation);
  for (const LaneId id : draft.open.lanes) lanes_[id].outstanding = true;
  open_.emplace(draft.call.id, std::move(draft.open));
  return std::move(draft.call);
}

OpenCall FetchPlanner::Close(std::uint64_t id) {
  const auto found = open_.find(id);
  TIDEMARK_CHECK(found != open_.end(), "fetch call {} is not open", id);
  OpenCall call = std::move(found->second);
  open_.erase(found);
  for (const LaneId lane : call.lanes) lanes_[lane].outstanding = false;
  return call;
}

void FetchPlanner::AskLess(const OpenCall& call) {
  const bool single = call.lanes.size() == 1;
  if (single ? expansion_ == kExpansionMax : call_bytes_ == kCallBytesMin) {
    for (const LaneId id : call.lanes) lanes_[id].widen = kWidenToTheMost;
    return;
  }
  if (!single) call_bytes_ = std::max(call_bytes_ / 2, kCallBytesMin);
  expansion_ = std::min(expansion_ * 2, kExpansionMax);
}

void FetchPlanner::Learn(const OpenCall& call, std::int64_t records, std::int64_t bytes) {
  if (records == 0) return;
  record_bytes_ = (record_bytes_ * 7 + bytes / records) / 8 + 1;
  if (call.alone || call.expected_bytes == 0) return;
  const double seen = static_cast<double>(bytes) / static_cast<double>(call.expected_bytes);
  const double wanted = std::clamp(seen * 1.5, kExpansionMin, kExpansionMax);
  expansion_ = std::max(wanted, expansion_ + (wanted - expansion_) / 8);
}

}  // namespace tidemark::lake

#include "lake/engine/window_buffer.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include "lake/engine/held_body.h"

namespace tidemark::lake {

namespace {

// Weights are kept per 2^17 us (131 ms): exact timestamps are looked at only inside the one bucket
// that matters.
constexpr int kBucketShift = 17;

std::int64_t BucketOf(Micros t) { return t.value() >> kBucketShift; }

Micros BucketStart(std::int64_t bucket) { return Micros(bucket << kBucketShift); }

queen::RecordRange RangeOf(const Run& run) { return {.begin = run.begin, .end = run.end}; }

// Moves `runs`, all of one answer, into a body that holds nothing else.
void CopyOut(const std::vector<Run*>& runs, MemoryBudget& budget) {
  std::vector<queen::RecordRange> ranges;
  ranges.reserve(runs.size());
  for (const Run* run : runs) ranges.push_back(RangeOf(*run));
  auto copied =
      std::make_shared<const queen::AnswerBody>(queen::CopyOf(*runs.front()->body, ranges));
  const std::int64_t held = HeldBytes(*copied, static_cast<std::int64_t>(runs.size()));
  const auto body = Hold(std::move(copied), budget.ReserveAnyway(held));
  std::uint32_t begin = 0;
  for (Run* run : runs) {
    const std::uint32_t end = begin + (run->end - run->begin);
    *run = {.body = body, .begin = std::exchange(begin, end), .end = end};
  }
}

}  // namespace

void WindowBuffer::Append(LaneId id, Run run) {
  Lane& lane = lanes_[id];
  if (lane.runs.empty()) active_.push_back(id);
  Count(lane, run);
  lane.runs.push_back(std::move(run));
}

std::optional<Micros> WindowBuffer::first_ts() const {
  if (active_.empty()) return std::nullopt;
  return first_ts_;
}

void WindowBuffer::Count(const Lane& lane, const Run& run) {
  first_ts_ = std::min(first_ts_, run.front().ts);
  last_ts_ = std::max(last_ts_, run.back().ts);
  std::int64_t bucket = BucketOf(run.front().ts);
  std::int64_t in_bucket = 0;
  for (const auto& record : run.view()) {
    if (BucketOf(record.ts) != bucket) {
      weight_by_bucket_[bucket] += in_bucket;
      weight_ += in_bucket;
      bucket = BucketOf(record.ts);
      in_bucket = 0;
    }
    in_bucket += RecordWeight(record, lane.name);
  }
  weight_by_bucket_[bucket] += in_bucket;
  weight_ += in_bucket;
}

void WindowBuffer::Recount() {
  weight_by_bucket_.clear();
  weight_ = 0;
  first_ts_ = kPlusInfinity;
  last_ts_ = kMinusInfinity;
  std::erase_if(active_, [this](LaneId id) {
    std::vector<Run>& runs = lanes_[id].runs;
    // Of a million lanes each once held something: none keeps the room for it.
    if (runs.empty()) runs.shrink_to_fit();
    return runs.empty();
  });
  for (const LaneId id : active_) {
    for (const Run& run : lanes_[id].runs) Count(lanes_[id], run);
  }
}

std::vector<WindowBuffer::Weighted> WindowBuffer::GatherBucket(std::int64_t bucket) const {
  const Micros low = BucketStart(bucket);
  const Micros high = BucketStart(bucket + 1);
  std::vector<Weighted> found;
  for (const LaneId id : active_) {
    for (const Run& run : lanes_[id].runs) {
      if (run.back().ts < low || run.front().ts >= high) continue;
      const auto records = run.view();
      auto at = std::ranges::lower_bound(records, low, {}, &queen::RecordSlice::ts);
      for (; at != records.end() && at->ts < high; ++at) {
        found.push_back({at->ts, RecordWeight(*at, lanes_[id].name)});
      }
    }
  }
  std::ranges::sort(found, {}, &Weighted::ts);
  return found;
}

std::optional<Micros> WindowBuffer::SizeBoundary(std::int64_t target, Micros cap) const {
  if (weight_ < target) return std::nullopt;
  std::int64_t below = 0;
  auto bucket = weight_by_bucket_.begin();
  while (bucket != weight_by_bucket_.end() && below + bucket->second < target) {
    below += bucket->second;
    ++bucket;
  }
  if (bucket == weight_by_bucket_.end() || BucketStart(bucket->first) > cap) return std::nullopt;

  const auto records = GatherBucket(bucket->first);
  std::size_t i = 0;
  while (i < records.size() && below + records[i].weight < target) below += records[i++].weight;
  const Micros crossed_at = records[i].ts;
  while (i < records.size() && records[i].ts == crossed_at) ++i;

  Micros next = kPlusInfinity;
  if (i < records.size()) {
    next = records[i].ts;
  } else if (++bucket != weight_by_bucket_.end()) {
    next = GatherBucket(bucket->first).front().ts;
  }
  if (next > cap) return std::nullopt;
  return next;
}

bool WindowBuffer::ReachesBelow(std::int64_t target, Micros t) const {
  if (weight_ < target) return false;
  std::int64_t below = 0;
  for (const auto& [bucket, weight] : weight_by_bucket_) {
    if (bucket >= BucketOf(t)) break;
    below += weight;
  }
  if (below >= target) return true;
  for (const auto& record : GatherBucket(BucketOf(t))) {
    if (record.ts < t) below += record.weight;
  }
  return below >= target;
}

void WindowBuffer::TakeBelow(Micros t, Plan& plan) {
  const std::int64_t held = weight_;
  for (const LaneId id : active_) {
    Lane& lane = lanes_[id];
    PlannedLane taken{.partition = std::string(lane.name), .runs = {}, .from = {}};
    for (Run& run : lane.runs) {
      if (Run below = SplitBelow(run, t); !below.empty()) taken.runs.push_back(std::move(below));
    }
    std::erase_if(lane.runs, [](const Run& run) { return run.empty(); });
    if (taken.runs.empty()) continue;
    lane.settled = lane.position();
    taken.from = taken.runs.front().front().offset;
    ++plan.facts.partitions;
    for (const Run& run : taken.runs) {
      plan.facts.records += run.end - run.begin;
      plan.facts.min_ts = std::min(plan.facts.min_ts, run.front().ts);
      plan.facts.max_ts = std::max(plan.facts.max_ts, run.back().ts);
    }
    plan.lanes.push_back(std::move(taken));
  }
  std::ranges::sort(plan.lanes, {}, &PlannedLane::partition);
  Recount();
  plan.facts.weight = held - weight_;
}

std::vector<LaneId> WindowBuffer::DropNewest() {
  std::int64_t keep = 0;
  auto bucket = weight_by_bucket_.begin();
  while (bucket != weight_by_bucket_.end() && keep + bucket->second <= weight_ / 2) {
    keep += bucket->second;
    ++bucket;
  }
  const Micros from = bucket == weight_by_bucket_.begin() || bucket == weight_by_bucket_.end()
                          ? last_ts_
                          : BucketStart(bucket->first);
  std::vector<LaneId> touched;
  for (const LaneId id : active_) {
    Lane& lane = lanes_[id];
    if (lane.renewing) continue;
    bool dropped = false;
    std::vector<Run> kept;
    for (Run& run : lane.runs) {
      Run below = SplitBelow(run, from);
      if (!run.empty() && !dropped) {
        dropped = true;
        lane.next = run.front().offset;
        lane.frontier = run.front().ts;
      }
      if (!below.empty()) kept.push_back(std::move(below));
    }
    lane.runs = std::move(kept);
    if (dropped) touched.push_back(id);
  }
  Recount();
  return touched;
}

void WindowBuffer::Clear() {
  for (const LaneId id : active_) {
    Lane& lane = lanes_[id];
    lane.next = lane.runs.front().front().offset;
    lane.frontier = lane.runs.front().front().ts;
    lane.prior_ts = kMinusInfinity;
    lane.runs.clear();
  }
  Recount();
}

void WindowBuffer::Forget(const std::vector<LaneId>& lanes) {
  for (const LaneId id : lanes) lanes_[id].runs.clear();
  Recount();
}

// One answer after the other, so that at most one is there twice.
void WindowBuffer::Compact(MemoryBudget& budget) {
  struct Remainder {
    std::size_t bytes = 0;
    std::vector<Run*> runs;
  };

  std::unordered_map<const queen::AnswerBody*, Remainder> remainders;
  for (const LaneId id : active_) {
    for (Run& run : lanes_[id].runs) {
      Remainder& rest = remainders[run.body.get()];
      rest.runs.push_back(&run);
      rest.bytes += queen::CopyBytes(*run.body, RangeOf(run));
    }
  }
  for (auto& [body, rest] : remainders) {
    if (rest.bytes * 2 < body->held_bytes()) CopyOut(rest.runs, budget);
  }
}

}  // namespace tidemark::lake

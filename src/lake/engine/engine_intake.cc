// The answers' side of the engine: what discovery and fetch do to lanes
// (queen-interface 2.3, 4.5, 14.1).

#include <fmt/format.h>

#include <algorithm>

#include "lake/engine/engine.h"
#include "lake/engine/held_body.h"
#include "lake/engine/lost_ranges.h"

namespace tidemark::lake {

namespace {

// Below this many records a lane is read from its start and filtered: one or two calls either way.
constexpr std::int64_t kSeekFromRecords = 2'000;

std::int64_t RunsIn(const queen::FetchAnswer& answer) {
  return std::ranges::count_if(answer.entries,
                               [](const auto& entry) { return !entry.records.empty(); });
}

}  // namespace

void WindowEngine::OnDiscovery(const queen::DiscoveryEntryAnswer& page, Micros safe_time) {
  stats_.newest_safe_time = std::max(stats_.newest_safe_time, safe_time);
  for (const auto& found : page.partitions) Meet(found);
  pass_.OnPage(safe_time, page.next);
}

void WindowEngine::Meet(const queen::DiscoveredPartition& found) {
  const auto known = lanes_.Find(found.name);
  const LaneId id = known ? *known : Place(found);
  Lane& lane = lanes_[id];
  lane.named_at = static_cast<std::uint32_t>(committed_k_.value());
  const Micros frontier = lane.frontier;
  if (known) Suspect(id, found);
  if (lane.renewed_at < page_) {
    lane.last = std::max(lane.last, found.last_offset);
    NoteLogStart(id, found.log_start);
  }
  if (!lane.queued || !lane.wanted() || lane.frontier != frontier) Requeue(id);
}

LaneId WindowEngine::Place(const queen::DiscoveredPartition& found) {
  const LaneId id = lanes_.Add(found.name);
  Lane& lane = lanes_[id];
  lane.log_start = found.log_start;
  const bool shipped_since = checkpoint_k_ && committed_k_ > *checkpoint_k_;
  if (const auto known = known_positions_.find(found.name); known != known_positions_.end()) {
    lane.next = known->second.next;
    lane.doubtful = shipped_since && known->second.of_checkpoint;
    lane.prior_ts = known->second.below;
    const bool written_since = found.last_write_at + kMicrosPerSecond >= lane.prior_ts;
    lane.check = lane.next > Offset(0) && (written_since || found.last_offset + 1 != lane.next);
    lane.unsure = lane.check;
    known_positions_.erase(known);
  } else if (t_prev_ != kMinusInfinity && found.last_write_at + kMicrosPerSecond < t_prev_) {
    // Written last, quantisation included, before the next window starts: nothing of it is wanted.
    lane.next = found.last_offset + 1;
    lane.prior_ts = t_prev_;
  } else if (checkpoint_k_ || pass_.complete_safe()) {
    // Younger than the checkpoint, or than the first pass: all of it is ours.
    lane.next = Offset(0);
    lane.doubtful = shipped_since && !pass_.complete_safe();
  } else {
    lane.last = found.last_offset;
    lane.next = found.log_start;
    if (seek_new_lanes_ && lane.last - lane.next >= kSeekFromRecords) BeginSeek(id);
  }
  lane.settled = lane.next;
  lane.log_start = std::min(lane.log_start, lane.next);
  return id;
}

void WindowEngine::BeginSeek(LaneId id) {
  Lane& lane = lanes_[id];
  seeks_.emplace(id, Seek(t_prev_, lane.log_start, lane.last));
  lane.seeking = true;
  ContinueSeek(id);
}

void WindowEngine::TakeProbe(LaneId id,
                             const Asked& asked,
                             const queen::FetchEntryAnswer& entry,
                             bool alone) {
  constexpr int kWidenMax = 11;  // doublings from a probe's size to the largest share
  Lane& lane = lanes_[id];
  Seek& seek = seeks_.at(id);
  if (entry.error == queen::EntryError::kOffsetOutOfRange) {
    lane.last = entry.high_watermark - 1;
    if (entry.log_start > lane.log_start) return NoteLogStart(id, entry.log_start);
    seek.OnBounds(entry.log_start, entry.high_watermark);
  } else if (entry.error == queen::EntryError::kUnknownPartition) {
    lane.check = true;
    if (!asked.check) return;  // asked again: once may be an accident
    // Gone, and lost is what is known to have been wanted.
    EndSeek(id, seek.known_from());
    return Renew(id, Offset(0), Offset(0));
  } else if (entry.error != queen::EntryError::kNone) {
    return;  // asked again; until then the lane holds the window open
  } else if (entry.records.empty()) {
    if (!alone) lane.widen = static_cast<std::uint8_t>(std::min(lane.widen + 1, kWidenMax));
    seek.OnNothing();
  } else {
    lane.widen = 0;
    seek.OnRecords(entry.records);
  }
  ContinueSeek(id);
}

void WindowEngine::ContinueSeek(LaneId id) {
  Lane& lane = lanes_[id];
  const Seek& seek = seeks_.at(id);
  const auto answer = seek.exhausted() ? std::optional(lane.log_start) : seek.answer();
  if (answer) return EndSeek(id, *answer);
  lane.next = seek.probe();
}

void WindowEngine::EndSeek(LaneId id, Offset next) {
  Lane& lane = lanes_[id];
  lane.next = lane.settled = next;
  lane.seeking = false;
  lane.widen = 0;
  seeks_.erase(id);
}

// Retention took what lies below `log_start`. What of it was not read yet is lost.
void WindowEngine::NoteLogStart(LaneId id, Offset log_start) {
  Lane& lane = lanes_[id];
  const bool risen = log_start > lane.log_start;
  lane.log_start = std::max(lane.log_start, log_start);
  if (lane.seeking && risen) {
    Seek& seek = seeks_.at(id);
    if (seek.Loses(log_start)) {
      EndSeek(id, seek.known_from());
    } else {
      seek.OnBounds(log_start, lane.last + 1);
      ContinueSeek(id);
    }
  }
  if (lane.seeking || lane.log_start <= lane.next) return;
  if (!lane.renewing) {
    gaps_.NoteOverrun(id, lane.next, lane.log_start - 1);
    lane.frontier = kMinusInfinity;
  }
  lane.next = lane.log_start;
  lane.prior_ts = kMinusInfinity;
}

void WindowEngine::Requeue(LaneId id) {
  Lane& lane = lanes_[id];
  // The records of a redo are read by its commit; where its lanes begin is looked for before.
  if (!lane.wanted() || (redo_ && !lane.seeking)) {
    planner_.Dequeue(id);
  } else if (!lane.outstanding) {
    planner_.Enqueue(id);
  }
}

void WindowEngine::OnFetch(std::uint64_t call_id, queen::FetchAnswer answer) {
  OpenCall call = planner_.Close(call_id);
  call.reservation.Resize(HeldBytes(*answer.body, RunsIn(answer)));
  answer.body = Hold(std::move(answer.body), std::move(call.reservation));
  std::int64_t records = 0;
  for (std::size_t i = 0; i < call.lanes.size(); ++i) {
    const LaneId id = call.lanes[i];
    const Asked& asked = call.asked[i];
    auto& entry = answer.entries[i];
    // Else set back since the call was made (memory, retention): the answer is for another place.
    // A window that is read from the log moves its lanes itself.
    if (lanes_[id].next == asked.next && !committing_from_log_) {
      records += static_cast<std::int64_t>(entry.records.size());
      if (lanes_[id].seeking) {
        TakeProbe(id, asked, entry, call.alone);
      } else if (IsSuccessor(lanes_[id], asked, entry)) {
        Renew(id, entry.log_start, entry.high_watermark);
      } else if (TakePrior(id, asked, entry, call.alone)) {
        TakeEntry(id, answer.body, entry, call.alone);
      }
    }
    Requeue(id);
  }
  planner_.Learn(call, records, static_cast<std::int64_t>(answer.body->answer_bytes()));
}

void WindowEngine::OnFetchFailed(std::uint64_t call_id, bool too_large) {
  const OpenCall call = planner_.Close(call_id);
  if (too_large) planner_.AskLess(call);
  for (const LaneId id : call.lanes) {
    if (!too_large && !lanes_[id].renewing) lanes_[id].check = true;
    Requeue(id);
  }
}

void WindowEngine::TakeEntry(LaneId id,
                             const std::shared_ptr<const queen::AnswerBody>& body,
                             const queen::FetchEntryAnswer& entry,
                             bool alone) {
  Lane& lane = lanes_[id];
  switch (entry.error) {
    case queen::EntryError::kNone:
      lane.last = std::max(lane.last, entry.high_watermark - 1);
      if (entry.records.empty()) {
        TakeNothing(id, alone);
      } else {
        TakeRecords(id, body, entry.records);
      }
      return;
    case queen::EntryError::kOffsetOutOfRange:
      lane.last = std::max(lane.last, entry.high_watermark - 1);
      NoteLogStart(id, entry.log_start);
      return;
    case queen::EntryError::kUnknownPartition:
      lane.check = true;
      return;
    case queen::EntryError::kBadCursor:
    case queen::EntryError::kOther:
      return;  // asked again; until then the lane's frontier holds the window open
  }
}

// Nothing at `next`, although more is said to follow. Perhaps too little was asked for; asked alone
// with the largest share, its segment must come. When it does not, twice, what lies there cannot be
// read, and every offset from there on is tried by itself: a gap is never jumped over unseen
// (decision "Holes at the head").
void WindowEngine::TakeNothing(LaneId id, bool alone) {
  Lane& lane = lanes_[id];
  if (!lane.unread()) return;
  lane.widen = static_cast<std::uint8_t>(std::min(lane.widen + 1, 10));
  if (!alone || !std::exchange(lane.hole_at_head, true)) return;
  if (!lane.renewing) gaps_.Note(id);
  ++lane.next;
  lane.prior_ts = kMinusInfinity;
}

bool WindowEngine::CheckRecords(const Lane& lane, std::span<const queen::RecordSlice> records) {
  Micros ts = lane.frontier;
  Offset next = lane.next;
  for (const auto& record : records) {
    if (record.ts < ts || record.offset < next) {
      fault_ =
          Error{.code = ErrorCode::kCorruption,
                .message = fmt::format("partition {}: offset {} at {} follows offset {} at {}; "
                                       "neither may fall within a partition",
                                       lane.name,
                                       record.offset.value(),
                                       FormatIso(record.ts),
                                       next.value() - 1,
                                       ts == kMinusInfinity ? "the start" : FormatIso(ts))};
      return false;
    }
    ts = record.ts;
    next = record.offset + 1;
  }
  return true;
}

void WindowEngine::TakeRecords(LaneId id,
                               const std::shared_ptr<const queen::AnswerBody>& body,
                               std::span<const queen::RecordSlice> records) {
  Lane& lane = lanes_[id];
  if (!CheckRecords(lane, records)) return;
  if (lane.renewing) return CapBySuccessor(lane, records.front().ts);
  const auto wanted = std::ranges::lower_bound(records, t_prev_, {}, &queen::RecordSlice::ts);
  const auto skipped = wanted - records.begin();
  stats_.dropped_committed += skipped;

  // What was shipped before accounts for everything below it.
  if (wanted != records.begin()) lane.settled = std::prev(wanted)->offset + 1;
  if (wanted != records.end()) {
    const Offset expected = lane.runs.empty() ? lane.settled : lane.next;
    if (records.back().offset - expected + 1 != records.end() - wanted) gaps_.Note(id);
    if (wanted->offset == lane.settled) lane.doubtful = false;
  }
  lane.next = records.back().offset + 1;
  lane.frontier = lane.prior_ts = records.back().ts;
  lane.prior_exact = true;
  lane.widen = 0;
  lane.hole_at_head = false;
  if (wanted == records.end()) return;
  const auto begin = static_cast<std::uint32_t>(records.data() - body->records().data());
  buffer_.Append(id,
                 {.body = body,
                  .begin = begin + static_cast<std::uint32_t>(skipped),
                  .end = begin + static_cast<std::uint32_t>(records.size())});
}

}  // namespace tidemark::lake

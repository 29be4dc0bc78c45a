// A partition that was deleted and created anew under its name (decision 5). It begins at offset 0
// again and may look like the one that was read, so:
//
//   1. suspicion  discovery tells of a head or a log start below what is known, or of a write into
//                 a lane that was caught up, or of a lane met for the first time after a restart;
//                 or a fetch failed, and who knows how long.
//   2. proof      a fetch made after that: the log's head fell, or the record before the position
//                 is another one than was read. A late answer to an older call proves nothing.
//   3. renewal    what was known and not read of the former is lost; what was read of it goes into
//                 a window that ends at the successor's first timestamp; then the successor is
//                 read from its start.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "lake/engine/engine.h"

namespace tidemark::lake {

namespace {

// The answer begins with the record before the position, which was asked for as a check.
bool HoldsPrior(const Asked& asked, const queen::FetchEntryAnswer& entry) {
  return asked.from < asked.next && !entry.records.empty() &&
         entry.records.front().offset == asked.from;
}

}  // namespace

void WindowEngine::Suspect(LaneId id, const queen::DiscoveredPartition& found) {
  Lane& lane = lanes_[id];
  if (lane.seeking || lane.renewing) return;
  // The page may still tell of the former partition, or already of what came since: the log knows.
  const bool stale = lane.renewed_at >= page_;
  const bool fell = found.last_offset < lane.last || found.log_start < lane.log_start;
  const bool caught_up = !lane.unread() && lane.next > Offset(0);
  const bool moved = caught_up && found.last_offset > lane.last;
  // As long as before, but written after the record that was read last. The broker's stamp of a
  // lane may be a little later than its record's: once is enough for each.
  const bool written_later =
      lane.prior_exact ? found.last_write_at > lane.prior_ts : found.last_write_at >= lane.prior_ts;
  const auto written = static_cast<std::uint32_t>(found.last_write_at.value());
  const bool newly_written = std::exchange(lane.written, written) != written;
  const bool rewritten =
      caught_up && newly_written && lane.prior_ts != kMinusInfinity && written_later;
  if (!stale && !fell && !moved && !rewritten) return;
  lane.unsure = lane.unsure || moved;
  lane.check = true;
  lane.check_again = lane.outstanding;
}

bool WindowEngine::IsSuccessor(const Lane& lane,
                               const Asked& asked,
                               const queen::FetchEntryAnswer& entry) const {
  // Some brokers answer so for a partition that is no more. Once may be an accident of theirs. (Of
  // one that is sought: TakeProbe.)
  if (entry.error == queen::EntryError::kUnknownPartition) {
    return asked.check && asked.head > Offset(0);
  }
  const bool answered = entry.error == queen::EntryError::kNone ||
                        entry.error == queen::EntryError::kOffsetOutOfRange;
  if (!answered) return false;
  if (entry.high_watermark < asked.head || entry.log_start < asked.log_start) return true;
  if (!HoldsPrior(asked, entry) || lane.prior_ts == kMinusInfinity) return false;
  const Micros ts = entry.records.front().ts;
  return lane.prior_exact ? ts != lane.prior_ts : ts >= lane.prior_ts;
}

void WindowEngine::Renew(LaneId id, Offset log_start, Offset head) {
  Lane& lane = lanes_[id];
  recreated_.emplace_back(lane.name);
  const Offset end = lane.known_end();
  if (!lane.renewing) {
    gaps_.Abandon(id, end, lost_);
  } else if (end > Offset(0)) {  // a successor of which nothing was taken
    AppendLost(lost_, lane.name, Offset(0), end - 1);
  }
  lane.next = lane.log_start = log_start;
  lane.last = head - 1;
  lane.prior_ts = kMinusInfinity;
  lane.check = lane.check_again = lane.unsure = lane.hole_at_head = false;
  lane.widen = 0;
  lane.renewed_at = page_;
  if (lane.runs.empty()) return BeginAnew(id);
  lane.frontier = lane.runs.back().back().ts;
  if (!std::exchange(lane.renewing, true)) renewing_.push_back(id);
}

void WindowEngine::CapBySuccessor(Lane& lane, Micros first) {
  if (first == lane.frontier) {
    fault_ = Error{.code = ErrorCode::kCorruption,
                   .message = fmt::format("partition {} was created anew and begins at {}, the "
                                          "timestamp at which its predecessor ends",
                                          lane.name,
                                          FormatIso(first))};
  }
  lane.frontier = first;
  lane.capped = true;
}

// From offset 0: what retention took of the successor is lost like any other.
void WindowEngine::BeginAnew(LaneId id) {
  Lane& lane = lanes_[id];
  const Offset log_start = std::exchange(lane.log_start, Offset(0));
  lane.renewing = lane.capped = lane.hole_at_head = false;
  lane.next = lane.settled = Offset(0);
  lane.frontier = kMinusInfinity;
  NoteLogStart(id, log_start);
}

// Takes the record before `next` out of the answer, if it was asked for. False: nothing else can be
// learnt from the entry.
bool WindowEngine::TakePrior(LaneId id,
                             const Asked& asked,
                             queen::FetchEntryAnswer& entry,
                             bool alone) {
  Lane& lane = lanes_[id];
  const bool read = entry.error == queen::EntryError::kNone;
  const bool asked_prior = asked.from < asked.next && read;
  if (asked_prior && entry.records.empty() && !alone) {
    lane.widen = static_cast<std::uint8_t>(std::min(lane.widen + 2, 10));
    return false;
  }
  if (asked.check && (read || entry.error == queen::EntryError::kOffsetOutOfRange)) {
    lane.check = std::exchange(lane.check_again, false);
    lane.unsure = lane.unsure && lane.check;
  }
  if (!asked_prior) return true;
  lane.last = std::max(lane.last, entry.high_watermark - 1);
  if (!HoldsPrior(asked, entry)) return !entry.records.empty();
  lane.prior_ts = entry.records.front().ts;
  lane.prior_exact = true;
  lane.widen = 0;
  entry.records = entry.records.subspan(1);
  return !entry.records.empty();
}

// A window is read from the log, which does not have these records any more.
void WindowEngine::AbandonRenewing() {
  for (const LaneId id : renewing_) {
    for (const Run& run : lanes_[id].runs) {
      for (const auto& record : run.view()) {
        AppendLost(lost_, lanes_[id].name, record.offset, record.offset);
      }
    }
  }
  buffer_.Forget(renewing_);
  FinishRenewing();
}

void WindowEngine::FinishRenewing() {
  const auto done = [this](LaneId id) {
    if (!lanes_[id].runs.empty()) return false;
    BeginAnew(id);
    Requeue(id);
    return true;
  };
  std::erase_if(renewing_, done);
}

Micros WindowEngine::Cut() const {
  Micros cut = kPlusInfinity;
  for (const LaneId id : renewing_) {
    if (lanes_[id].capped) cut = std::min(cut, lanes_[id].frontier);
  }
  return cut;
}

}  // namespace tidemark::lake

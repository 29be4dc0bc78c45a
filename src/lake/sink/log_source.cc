#include "lake/sink/log_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lake/commit/store_names.h"

namespace tidemark::lake {

namespace {

constexpr std::size_t kLanesPerCallMax = 256;
constexpr std::int64_t kSharedEntryBytes = 64 << 10;
constexpr std::int64_t kLoneEntryBytes = std::int64_t{8} << 20;
constexpr std::uint64_t kAnswerBytesMax = std::uint64_t{72} << 20;

Offset StartOf(const PlannedLane& lane) {
  return lane.check && lane.from > Offset(0) ? lane.from - 1 : lane.from;
}

}  // namespace

LogSource::LogSource(CommitContext& context, const Plan& plan) : context_(context), plan_(plan) {
  Rewind();
}

void LogSource::Rewind() {
  lane_ = 0;
  answer_ = {};
  entry_ = 0;
  lost_.clear();
  holes_.clear();
  positions_.clear();
  successors_.clear();
  BeginLane();
}

void LogSource::BeginLane() {
  lone_ = stuck_ = anew_ = false;
  if (lane_ >= plan_.lanes.size()) return;
  from_ = plan_.lanes[lane_].from;
  next_ = StartOf(plan_.lanes[lane_]);
}

io::Task<Result<std::span<const format::RecordView>>> LogSource::Next() {
  batch_.clear();
  while (batch_.empty() && lane_ < plan_.lanes.size()) {
    if (entry_ >= answer_.entries.size()) TIDEMARK_CO_TRY_VOID(co_await FetchMore());
    TIDEMARK_CO_TRY(const bool complete, TakeEntry(answer_.entries[entry_]));
    if (!complete) {
      // What came behind it is asked for again: from now on with less behind.
      if (!lone_) lanes_per_call_ = std::max<std::size_t>(entry_, 1);
      lone_ = true;
      entry_ = answer_.entries.size();
      continue;
    }
    positions_.push_back(
        {.partition = plan_.lanes[lane_].partition, .next = std::max(next_, from_)});
    ++entry_;
    ++lane_;
    BeginLane();
  }
  co_return std::span<const format::RecordView>(batch_);
}

io::Task<Status> LogSource::FetchMore() {
  answer_ = {};  // before the next is asked for: one answer is held at a time
  queen::FetchRequest request{
      .queue = context_.options.queue, .entries = {}, .max_answer_bytes = kAnswerBytesMax};
  if (!lone_) lanes_per_call_ = std::min(2 * lanes_per_call_, kLanesPerCallMax);
  const std::size_t lanes = lone_ ? 1 : std::min(lanes_per_call_, plan_.lanes.size() - lane_);
  for (std::size_t i = 0; i < lanes; ++i) {
    const PlannedLane& lane = plan_.lanes[lane_ + i];
    request.entries.push_back({.partition = lane.partition,
                               .offset = i == 0 ? next_ : StartOf(lane),
                               .max_bytes = lone_ ? kLoneEntryBytes : kSharedEntryBytes});
  }
  auto attempt = [&] { return context_.broker.Fetch(request); };
  auto answer = co_await Persist(context_, "fetch of a window's records", attempt);
  if (!answer) co_return std::unexpected(answer.error());
  answer_ = std::move(*answer);
  entry_ = 0;
  co_return Status();
}

Result<bool> LogSource::TakeEntry(const queen::FetchEntryAnswer& entry) {
  const PlannedLane& lane = plan_.lanes[lane_];
  if (IsSuccessor(entry)) {
    BeginAnew(entry);
    return false;
  }
  if (entry.error == queen::EntryError::kOffsetOutOfRange) {
    if (entry.log_start <= next_) return true;  // the head fell: nothing more is there
    AddLost(next_, entry.log_start - 1);
    next_ = entry.log_start;
    return false;
  }
  if (entry.error != queen::EntryError::kNone) {
    // One that is not known to the broker was deleted since discovery named it: that is to be asked
    // anew, by the next life.
    const bool unknown = entry.error == queen::EntryError::kUnknownPartition;
    return Fail(unknown ? ErrorCode::kInternal : ErrorCode::kUnavailable,
                fmt::format("partition {} of queue {} cannot be read at offset {}",
                            lane.partition,
                            context_.options.queue,
                            next_.value()));
  }
  if (entry.records.empty() && next_ < entry.high_watermark) {
    // Asked alone its first segment must come; twice nothing is a hole, tried offset by offset.
    if (std::exchange(stuck_, lone_)) {
      AddHole(next_, next_);
      ++next_;
    }
    return next_ >= entry.high_watermark;
  }
  for (const auto& record : entry.records) {
    if (record.offset > next_) AddHole(next_, record.offset - 1);
    next_ = record.offset;
    if (record.ts >= plan_.window.end) return true;
    ++next_;
    if (record.ts < plan_.window.start) {
      ForgetLosses();
      continue;
    }
    batch_.push_back({.partition = lane.partition,
                      .offset = record.offset,
                      .transaction_id = record.transaction_id(answer_.body->text()),
                      .ts = record.ts,
                      .payload = record.payload(answer_.body->text())});
  }
  return next_ >= entry.high_watermark;
}

// The head of a log never falls, and what lies before the first wanted record is older than the
// window.
bool LogSource::IsSuccessor(const queen::FetchEntryAnswer& entry) const {
  if (anew_ || !plan_.lanes[lane_].check) return false;
  if (entry.error == queen::EntryError::kOffsetOutOfRange) return entry.high_watermark < from_;
  if (entry.error != queen::EntryError::kNone) return false;
  if (entry.high_watermark < from_) return true;
  return !entry.records.empty() && entry.records.front().offset < from_ &&
         entry.records.front().ts >= plan_.window.start;
}

// Two incarnations never share a window: all that this one holds of the lane is the new one's.
void LogSource::BeginAnew(const queen::FetchEntryAnswer& entry) {
  ForgetLosses();
  successors_.push_back({plan_.lanes[lane_].partition, entry.log_start, entry.high_watermark});
  anew_ = true;
  from_ = Offset(0);
  next_ = entry.log_start;
  AddLost(from_, next_ - 1);
}

void LogSource::AddLost(Offset from, Offset to) {
  from = std::max(from, from_);
  if (from <= to) AppendLost(lost_, plan_.lanes[lane_].partition, from, to);
}

void LogSource::AddHole(Offset from, Offset to) {
  from = std::max(from, from_);
  if (from > to) return;
  AppendLost(holes_, plan_.lanes[lane_].partition, from, to);
  AddLost(from, to);
}

void LogSource::ForgetLosses() {
  const auto of_lane = [&](const format::LostRange& range) {
    return range.partition == plan_.lanes[lane_].partition;
  };
  while (!lost_.empty() && of_lane(lost_.back())) lost_.pop_back();
  while (!holes_.empty() && of_lane(holes_.back())) holes_.pop_back();
}

io::Task<Result<LogSource::Count>> LogSource::CountRecords() {
  Rewind();
  Count count;
  while (true) {
    TIDEMARK_CO_TRY(const auto batch, co_await Next());
    if (batch.empty()) break;
    // Of a redo its intent promised the names, and decides the layout.
    if (!plan_.redo) TIDEMARK_CO_TRY_VOID(CheckLaneName(context_.options, batch.front().partition));
    count.records += static_cast<std::int64_t>(batch.size());
  }
  count.lost = std::move(lost_);
  count.holes = std::move(holes_);
  count.positions = std::move(positions_);
  count.successors = std::move(successors_);
  Rewind();
  co_return count;
}

}  // namespace tidemark::lake

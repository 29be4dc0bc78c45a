#include "edge/wal/wal_writer.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "edge/wal/wal_reader.h"
#include "format/source_token.h"
#include "format/wal_frame.h"

namespace tidemark::edge {

namespace {

// After so long without an append, a mark vouches for the last group.
constexpr io::Duration kIdle = std::chrono::milliseconds(100);
constexpr std::int64_t kRetryAfterMs = 1'000;
// A clock that steps back by less stands still for us.
constexpr std::int64_t kClampedMicros = kMicrosPerSecond;
// What is held for readers: the group they work on, the next, and room for one that is larger.
constexpr std::int64_t kGroupsHeld = 3;

format::WalRecord Unplaced(const WalInput& input) {
  return {.position = {},
          .ingest_time = {},
          .source = input.source,
          .topic = input.topic,
          .token = input.token,
          .payload = input.payload,
          .full_bytes = input.full_bytes};
}

std::int64_t FrameBytesOf(std::span<const WalInput> records) {
  std::size_t bytes = 0;
  for (const WalInput& input : records) bytes += format::FrameBytes(Unplaced(input));
  return static_cast<std::int64_t>(bytes);
}

}  // namespace

Wal::Writer::Writer(WalOptions options,
                    WalWorld world,
                    OpenedLog log,
                    std::unique_ptr<io::File> lock)
    : options_(std::move(options)),
      world_(std::move(world)),
      lock_(std::move(lock)),
      epoch_(log.epoch),
      opening_(std::move(log.opening)),
      segment_(std::move(log.writer)),
      held_(kGroupsHeld * options_.group_max_bytes),
      tokens_(std::move(log.tokens)),
      segments_(std::move(log.segments)),
      end_(log.end),
      vouched_(log.end),
      last_time_(kMinusInfinity),
      wake_(world_.loop),
      ended_signal_(world_.loop) {
  for (const WalSegment& segment : segments_) bytes_ += segment.bytes;
  excess_bytes_ = ExcessBytes();
}

Error Wal::Writer::Withheld(std::string why) {
  ++counters_.withheld;
  withheld_ = why;
  return {
      .code = ErrorCode::kExhausted, .message = std::move(why), .retry_after_ms = kRetryAfterMs};
}

std::optional<Error> Wal::Writer::Refusal(std::span<const WalInput> records,
                                          std::int64_t frame_bytes) {
  for (std::size_t i = 0; i < records.size(); ++i) {
    const auto size = static_cast<std::int64_t>(records[i].payload.size());
    if (size <= options_.max_record_bytes) continue;
    return Error{
        .code = ErrorCode::kInvalidArgument,
        .message = fmt::format(
            "record {} has {} bytes, the limit is {}", i + 1, size, options_.max_record_bytes)};
  }
  if (frame_bytes > options_.max_bytes - options_.segment_bytes) {
    return Error{.code = ErrorCode::kInvalidArgument,
                 .message = fmt::format("{} bytes at once never fit into the log beside a segment "
                                        "(wal.max_bytes is {}, wal.segment_bytes {})",
                                        frame_bytes,
                                        options_.max_bytes,
                                        options_.segment_bytes)};
  }
  if (failure_ || closing_) {
    return Error{.code = ErrorCode::kUnavailable,
                 .message = failure_ ? failure_->message : "the log is closing"};
  }
  if (bytes_ - excess_bytes_ + queue_bytes_ + frame_bytes > options_.max_bytes) {
    return Withheld(
        fmt::format("the log has reached its {} bytes (wal.max_bytes)", options_.max_bytes));
  }
  if (world_.loop.Now() < full_until_) return Withheld("the disk of the log is full");
  return std::nullopt;
}

Micros Wal::Writer::Stamp() {
  const Micros now = world_.clock.Now();
  const bool small_step = now < last_time_ && last_time_ - now < kClampedMicros;
  if (!small_step) last_time_ = now;
  return last_time_;
}

io::Task<Result<format::PositionRange>> Wal::Writer::Append(std::span<const WalInput> records) {
  TIDEMARK_CHECK(!records.empty(), "an append of nothing");
  Pending pending{.records = records,
                  .frame_bytes = FrameBytesOf(records),
                  .time = {},
                  .clock_synced = false,
                  .waiter = {}};
  if (auto refusal = Refusal(records, pending.frame_bytes)) {
    co_return std::unexpected(std::move(*refusal));
  }
  pending.time = Stamp();
  pending.clock_synced = world_.clock_synced();
  queue_.push_back(&pending);
  queue_bytes_ += pending.frame_bytes;
  wake_.Notify();
  Waiting waiting{pending};
  co_await waiting;
  co_return std::move(pending.result);
}

io::Task<Status> Wal::Writer::Close() {
  closing_ = true;
  wake_.Notify();
  while (!ended_) co_await ended_signal_;
  if (failure_) co_return std::unexpected(*failure_);
  co_return Status();
}

io::Task<void> Wal::Writer::Run() {
  while (true) {
    co_await WaitForWork();
    if (!queue_.empty()) {
      co_await Gather();
      Group group = CutGroup();
      co_await Commit(std::move(group));
    } else if (WantsMark()) {
      co_await Mark();
    } else if (closing_) {
      break;
    }
  }
  ended_ = true;
  ended_signal_.Notify();
}

// Returns when there is an append, a mark is due, or the log is closing.
io::Task<void> Wal::Writer::WaitForWork() {
  timer_fired_ = false;
  const bool timed = WantsMark();
  io::Loop::TimerId timer = 0;
  if (timed) {
    timer = world_.loop.Schedule(kIdle, [this] {
      timer_fired_ = true;
      wake_.Notify();
    });
  }
  while (queue_.empty() && !timer_fired_ && !closing_) co_await wake_;
  if (timed) world_.loop.Cancel(timer);
}

// Producers that wait for their appends come back with the next ones: as many as the last group had
// are worth a short wait.
io::Task<void> Wal::Writer::Gather() {
  if (options_.sync == WalSync::kEach) co_return;
  timer_fired_ = false;
  const auto enough = [this] {
    return queue_.size() >= last_members_ || queue_bytes_ >= options_.group_max_bytes ||
           timer_fired_ || closing_;
  };
  if (enough()) co_return;
  const auto timer = world_.loop.Schedule(options_.group_max_delay, [this] {
    timer_fired_ = true;
    wake_.Notify();
  });
  while (!enough()) co_await wake_;
  world_.loop.Cancel(timer);
}

Wal::Writer::Group Wal::Writer::CutGroup() {
  Group group;
  group.header = {
      .epoch = epoch_, .frames = 0, .bytes = 0, .first = end_ + 1, .durable_through = end_};
  const bool alone = options_.sync == WalSync::kEach;
  std::int64_t bytes = 0;
  while (!queue_.empty()) {
    Pending* const next = queue_.front();
    const bool full = alone || bytes + next->frame_bytes > options_.group_max_bytes;
    if (!group.members.empty() && full) break;
    queue_.pop_front();
    group.members.push_back(next);
    group.header.frames += static_cast<std::uint32_t>(next->records.size());
    bytes += next->frame_bytes;
  }
  group.header.bytes = static_cast<std::uint64_t>(bytes);
  last_members_ = group.members.size();
  return group;
}

void Wal::Writer::Encode(const Group& group) {
  buffer_.clear();
  buffer_.reserve(format::kWalGroupHeaderBytes + group.header.bytes + WalBatch::kReadPadding);
  EncodeWalGroupHeader(group.header, buffer_);
  Position position = group.header.first;
  for (const Pending* member : group.members) {
    for (const WalInput& input : member->records) {
      format::WalRecord record = Unplaced(input);
      record.position = position;
      record.ingest_time = member->time;
      record.clock_synced = member->clock_synced;
      format::EncodeFrame(record, buffer_);
      ++position;
    }
  }
}

// A header holds the places of all streams, and may be longer than a segment should be. Without a
// group behind it the next segment would have the name of this one, and go with it.
bool Wal::Writer::SegmentIsFull() const {
  return segment_.bytes() >= options_.segment_bytes && segment_.bytes() > segment_.header_bytes();
}

Wal::Writer::Outcome Wal::Writer::Write(const Group& group, const SegmentSpan& read) {
  Outcome outcome;
  // The system takes the same memory for the group at hand: it is warm, where fresh memory would
  // have to be found and cleared, and the log does not push other files out.
  if (read.begin < read.end) segment_.DropCached(read.begin, read.end);
  if (SegmentIsFull() && !group.members.empty()) {
    const format::WalSegmentHeader header{.epoch = epoch_,
                                          .first = group.header.first,
                                          .follows = group.header.first - 1,
                                          .tokens = tokens_};
    auto next = SegmentWriter::Create(world_.files, options_.folder, header, "");
    if (!next) {
      outcome.status = std::unexpected(std::move(next.error()));
      return outcome;
    }
    segment_ = std::move(*next);
    outcome.rolled = true;
  }
  Encode(group);
  outcome.status = segment_.Append(buffer_, options_.sync != WalSync::kNone);
  return outcome;
}

io::Task<void> Wal::Writer::Commit(Group group) {
  for (const auto& stream : std::exchange(forgotten_, {})) tokens_.erase(stream);
  writing_since_ = world_.loop.Now();
  const SegmentSpan read = TakeRead();
  const auto write = [&] { return Write(group, read); };
  const Outcome outcome = co_await io::RunOn(world_.loop, world_.pool, write);
  world_.on_written(writing_for());
  writing_since_.reset();
  Accept(group, outcome);
  if (outcome.status) {
    Learn(group);
  } else {
    Refuse(group, outcome.status.error());
  }
  // One large append must not hold its memory for good.
  const auto kept = static_cast<std::size_t>(4 * options_.group_max_bytes);
  if (buffer_.capacity() > kept) std::string().swap(buffer_);
  queue_bytes_ -= static_cast<std::int64_t>(group.header.bytes);
  Resume(group);
  if (!failure_) co_return;
  while (!queue_.empty()) {
    Group refused = CutGroup();
    Refuse(refused, *failure_);
    queue_bytes_ -= static_cast<std::int64_t>(refused.header.bytes);
    Resume(refused);
  }
}

io::Task<void> Wal::Writer::Mark() {
  Group mark = CutGroup();
  co_await Commit(std::move(mark));
  vouched_ = end_;  // a mark that did not fit is not tried again before the next group
}

// The segments as the disk has them now.
void Wal::Writer::Accept(const Group& group, const Outcome& outcome) {
  if (outcome.rolled) {
    segments_.push_back({.path = segment_.path(),
                         .first = group.header.first,
                         .follows = group.header.first - 1,
                         .last = group.header.first - 1,
                         .bytes = 0});
  }
  WalSegment& segment = segments_.back();
  bytes_ += segment_.bytes() - segment.bytes;
  segment.bytes = segment_.bytes();
  excess_bytes_ = ExcessBytes();
}

// The group is on disk.
void Wal::Writer::Learn(const Group& group) {
  vouched_ = group.header.durable_through;
  if (group.members.empty()) return;
  ++counters_.groups;
  withheld_.clear();
  counters_.records += group.header.frames;
  for (Pending* member : group.members) {
    const auto count = static_cast<std::int64_t>(member->records.size());
    member->result = format::PositionRange{.first = end_ + 1, .last = end_ + count};
    end_ = end_ + count;
    for (const WalInput& input : member->records) {
      counters_.payload_bytes += input.payload.size();
      if (input.token.empty()) continue;
      const auto token = format::DecodeSourceToken(input.token);
      tokens_[{std::string(input.source), std::string(token.stream)}] = token.place;
    }
  }
  segments_.back().last = end_;
  if (!readers_.empty()) Hold();
  for (WalReader* const reader : readers_) reader->OnSynced();
}

// The group that was written last.
void Wal::Writer::Hold() {
  const auto size = static_cast<std::int64_t>(buffer_.size());
  buffer_.append(WalBatch::kReadPadding, '\0');
  held_.Add({.place = {.segment = segments_.back().first,
                       .begin = segment_.bytes() - size,
                       .end = segment_.bytes()},
             .last = end_,
             .bytes = std::make_shared<const std::string>(std::exchange(buffer_, {}))});
}

void Wal::Writer::LetGo() {
  Position read_by_all = end_;
  for (const WalReader* reader : readers_) {
    read_by_all = std::min(read_by_all, reader->position() - 1);
  }
  held_.Release(read_by_all);
}

SegmentSpan Wal::Writer::TakeRead() {
  const SegmentSpan read = held_.TakeReleased();
  const bool is_synced = options_.sync != WalSync::kNone;
  return is_synced && read.segment == segments_.back().first ? read : SegmentSpan();
}

void Wal::Writer::RemoveReader(WalReader& reader) {
  std::erase(readers_, &reader);
  readers_.empty() ? held_.Clear() : LetGo();
}

void Wal::Writer::Refuse(const Group& group, Error error) {
  if (error.code == ErrorCode::kExhausted) {
    full_until_ = world_.loop.Now() + std::chrono::milliseconds(kRetryAfterMs);
    error = Withheld(std::move(error.message));
  } else if (!failure_) {
    error.code = ErrorCode::kOutcomeUnknown;
    error.message = fmt::format(
        "the write-ahead log failed and takes no more records; a restart "
        "recovers what was acknowledged: {}",
        error.message);
    failure_ = error;
    if (on_failure_) on_failure_(*failure_);
  } else {
    error.code = ErrorCode::kUnavailable;
  }
  for (Pending* member : group.members) member->result = std::unexpected(error);
}

void Wal::Writer::Resume(const Group& group) {
  for (const Pending* member : group.members) {
    world_.loop.Post([waiter = member->waiter] { waiter.resume(); });
  }
}

io::Task<Status> Wal::Writer::RemoveThrough(Position position) {
  std::vector<std::string> paths;
  for (const WalSegment& segment : segments_) {
    if (&segment == &segments_.back() || segment.last > position) break;
    paths.push_back(segment.path);
  }
  for (const std::string& path : paths) {
    // One after the other, each for good: of two that are removed at once, a power loss could bring
    // back the older one alone.
    const auto remove = [&]() -> Status {
      TIDEMARK_TRY_VOID(world_.files.Remove(path));
      return world_.files.SyncFolder(options_.folder);
    };
    TIDEMARK_CO_TRY_VOID(co_await io::RunOn(world_.loop, world_.pool, remove));
    bytes_ -= segments_.front().bytes;
    segments_.erase(segments_.begin());
    withheld_.clear();
  }
  co_return Status();
}

}  // namespace tidemark::edge

#include "edge/sink_driver.h"

#include <fmt/format.h>

#include <utility>

namespace tidemark::edge {

namespace {

constexpr io::Duration kRoomPoll = std::chrono::seconds(1);

Status WriteHolesBefore(
    SegmentSink& sink, const WalBatch& batch, std::size_t& hole, Position position, Micros now) {
  for (; hole < batch.holes.size() && batch.holes[hole].first < position; ++hole) {
    TIDEMARK_TRY_VOID(sink.WriteHole(batch.holes[hole], now));
  }
  return {};
}

// Writes records from `begin` on as far as there is room; `begin` becomes the first not written.
Status WriteSome(
    SegmentSink& sink, const WalBatch& batch, std::size_t& begin, std::size_t& hole, Micros now) {
  for (; begin < batch.records.size() && sink.room(); ++begin) {
    const format::WalRecord& record = batch.records[begin];
    TIDEMARK_TRY_VOID(WriteHolesBefore(sink, batch, hole, record.position, now));
    TIDEMARK_TRY_VOID(sink.Write(record));
  }
  if (begin < batch.records.size()) return {};
  TIDEMARK_TRY_VOID(WriteHolesBefore(sink, batch, hole, batch.through + 1, now));
  sink.ReadThrough(batch.through);
  return {};
}

// Empty while there is room.
std::string WhyFull(const SegmentSink& sink) {
  if (sink.room()) return "";
  const SinkOptions& options = sink.options();
  if (sink.disk_bytes() >= options.disk_bytes_max) {
    return fmt::format("its disk budget max_disk {} is used up", options.disk_bytes_max);
  }
  return fmt::format(
      "its disk budget quarantine.max_disk {} is used up until somebody moves "
      "{}/quarantine/rejects.log away",
      options.reject_bytes_max,
      options.folder);
}

// There is no room, or somebody took a file away that was being written: what was not committed
// comes again from the log.
bool BeginsAgain(const Error& error) {
  return error.code == ErrorCode::kExhausted || error.code == ErrorCode::kNotFound;
}

WalExtent ExtentOf(const Wal& wal) {
  WalExtent extent{
      .epoch = wal.epoch(), .first = wal.segments().front().first, .last = wal.synced_through()};
  for (const WalSegment& segment : wal.segments()) {
    const bool begins = &segment == &wal.segments().front();
    if (begins || segment.first == segment.follows + 1) continue;
    extent.holes.push_back({segment.follows + 1, segment.first - 1});
  }
  return extent;
}

}  // namespace

SinkDriver::SinkDriver(const PipelineWorld& world,
                       Wal& wal,
                       OpenSink open,
                       std::unique_ptr<SegmentSink> sink)
    : world_(world),
      wal_(wal),
      open_(std::move(open)),
      sink_(std::move(sink)),
      options_(sink_->options()),
      reader_(std::make_unique<WalReader>(wal, world.work_pool, sink_->next())),
      busy_(world.loop) {
  Refresh();
}

Result<std::unique_ptr<SinkDriver>> SinkDriver::Open(const PipelineWorld& world,
                                                     Wal& wal,
                                                     OpenSink open) {
  TIDEMARK_TRY(auto sink, open(ExtentOf(wal), {}));
  return std::unique_ptr<SinkDriver>(new SinkDriver(world, wal, std::move(open), std::move(sink)));
}

void SinkDriver::Refresh() {
  status_ = {.counters = sink_->counters(),
             .watermark = sink_->watermark(),
             .read = reader_->position() - 1,
             .open_files = sink_->open_files(),
             .disk_bytes = sink_->disk_bytes(),
             .reject_bytes = sink_->reject_bytes(),
             .stuck = WhyFull(*sink_),
             .oldest_open = sink_->oldest_open()};
}

template <typename Work>
io::Task<Status> SinkDriver::OnPool(Work work) {
  const auto guard = co_await busy_.Lock();
  if (!sink_) co_return Status();
  Status done = co_await io::RunOn(world_.loop, world_.work_pool, std::move(work));
  if (done) {
    Refresh();
  } else if (BeginsAgain(done.error())) {
    GiveUp(done.error());
    co_return Status();
  }
  co_return done;
}

// The books on disk hold what the sink promised; the next one begins there.
void SinkDriver::GiveUp(const Error& error) {
  status_.counters = sink_->counters();
  sink_.reset();
  status_.stuck = error.message;
  status_.open_files = 0;
  const bool full = error.code == ErrorCode::kExhausted;
  world_.note(fmt::format("sink {} {}: {}",
                          options_.id,
                          full ? "waits for room" : "begins again at its watermark",
                          error.message));
  reader_->Stop();
}

io::Task<Status> SinkDriver::Reopen() {
  while (!stop_.stop_requested()) {
    if (draining_) co_return std::unexpected(DrainedWithoutRoom(status_.stuck));
    const bool waited = co_await io::Sleep(world_.loop, kRoomPoll, stop_.get_token());
    if (!waited) break;
    const WalExtent extent = ExtentOf(wal_);
    const SinkCounters so_far = status_.counters;
    const auto open = [&] { return open_(extent, so_far); };
    auto opened = co_await io::RunOn(world_.loop, world_.work_pool, open);
    if (opened) {
      sink_ = std::move(*opened);
      reader_ = std::make_unique<WalReader>(wal_, world_.work_pool, sink_->next());
      Refresh();
      world_.note(fmt::format("sink {} goes on", options_.id));
      break;
    }
    if (!BeginsAgain(opened.error())) co_return std::unexpected(opened.error());
  }
  co_return Status();
}

io::Task<Status> SinkDriver::Run() {
  Status done;
  while (done && !stop_.stop_requested()) {
    if (!sink_) {
      done = co_await Reopen();
      continue;
    }
    if (draining_ && reader_->AtEnd()) break;
    auto next = co_await reader_->Next();
    if (!next) {
      done = std::unexpected(std::move(next.error()));
    } else if (next->has_value()) {
      const WalBatch batch = std::move(**next);
      done = co_await Feed(batch);
    }
  }
  if (!done) co_return Annotate(std::move(done.error()), "sink " + options_.id);
  co_return done;
}

io::Task<Status> SinkDriver::Feed(const WalBatch& batch) {
  std::size_t begin = 0;
  std::size_t hole = 0;
  while (!stop_.stop_requested()) {
    const Micros now = world_.clock.Now();
    auto write = [&] { return WriteSome(*sink_, batch, begin, hole, now); };
    TIDEMARK_CO_TRY_VOID(co_await OnPool(write));
    if (!sink_ || begin == batch.records.size()) break;
    TIDEMARK_CO_TRY_VOID(co_await AwaitRoom());
    if (!sink_) break;
  }
  co_return Status();
}

Error SinkDriver::DrainedWithoutRoom(const std::string& why) const {
  return {.code = ErrorCode::kExhausted,
          .message = fmt::format("{}, and records are left that are in no segment; they stay in "
                                 "the write-ahead log",
                                 why)};
}

io::Task<Status> SinkDriver::AwaitRoom() {
  while (sink_ && !status_.stuck.empty() && !stop_.stop_requested()) {
    if (draining_) {
      co_return std::unexpected(DrainedWithoutRoom(status_.stuck));
    }
    co_await io::Sleep(world_.loop, kRoomPoll, stop_.get_token());
  }
  co_return Status();
}

void SinkDriver::Drain() {
  draining_ = true;
  if (reader_->AtEnd()) reader_->Stop();
}

void SinkDriver::Stop() {
  stop_.request_stop();
  reader_->Stop();
}

io::Task<Status> SinkDriver::Tick() {
  const Micros now = world_.clock.Now();
  auto work = [this, now] {
    Status done = sink_->CloseDue(now);
    if (done && !sink_->room()) done = sink_->NoticeRemoved();
    return done;
  };
  co_return co_await OnPool(work);
}

io::Task<Status> SinkDriver::Advance() {
  auto work = [this] { return sink_->AdvanceLowest(); };
  co_return co_await OnPool(work);
}

io::Task<Status> SinkDriver::Finish() {
  auto work = [this] { return sink_->FinishAll(); };
  TIDEMARK_CO_TRY_VOID(co_await OnPool(work));
  if (sink_) co_return Status();
  co_return Fail(ErrorCode::kExhausted, fmt::format("sink {}: {}", options_.id, status_.stuck));
}

}  // namespace tidemark::edge

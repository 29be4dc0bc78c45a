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

}  // namespace

SinkDriver::SinkDriver(io::Loop& loop,
                       io::WorkerPool& pool,
                       Wal& wal,
                       const io::Clock& clock,
                       std::unique_ptr<SegmentSink> sink)
    : loop_(loop),
      pool_(pool),
      wal_(wal),
      clock_(clock),
      sink_(std::move(sink)),
      reader_(wal, pool, sink_->next()),
      busy_(loop) {
  Refresh();
}

void SinkDriver::Refresh() {
  status_ = {.counters = sink_->counters(),
             .watermark = sink_->watermark(),
             .read = reader_.position() - 1,
             .open_files = sink_->open_files(),
             .disk_bytes = sink_->disk_bytes(),
             .room = sink_->room(),
             .oldest_open = sink_->oldest_open()};
}

template <typename Work>
io::Task<Status> SinkDriver::OnPool(Work work) {
  const auto guard = co_await busy_.Lock();
  Status done = co_await io::RunOn(loop_, pool_, std::move(work));
  Refresh();
  co_return done;
}

io::Task<Status> SinkDriver::Run() {
  while (!stop_.stop_requested() && !(draining_ && reader_.AtEnd())) {
    auto next = co_await reader_.Next();
    if (!next) co_return Annotate(std::move(next.error()), "sink " + options().id);
    if (!next->has_value()) break;
    const WalBatch batch = std::move(**next);
    std::size_t begin = 0;
    std::size_t hole = 0;
    while (!stop_.stop_requested()) {
      const Micros now = clock_.Now();
      auto write = [&] { return WriteSome(*sink_, batch, begin, hole, now); };
      Status written = co_await OnPool(write);
      if (!written) co_return Annotate(std::move(written.error()), "sink " + options().id);
      if (begin == batch.records.size()) break;
      TIDEMARK_CO_TRY_VOID(co_await AwaitRoom());
    }
  }
  co_return Status();
}

io::Task<Status> SinkDriver::AwaitRoom() {
  while (!status_.room && !stop_.stop_requested()) {
    if (draining_) {
      co_return Fail(
          ErrorCode::kExhausted,
          fmt::format("sink {}: max_disk {} is used up, and records are left that are in "
                      "no segment; they stay in the write-ahead log",
                      options().id,
                      options().disk_bytes_max));
    }
    co_await io::Sleep(loop_, kRoomPoll, stop_.get_token());
    Refresh();
  }
  co_return Status();
}

void SinkDriver::Drain() {
  draining_ = true;
  if (reader_.AtEnd()) reader_.Stop();
}

void SinkDriver::Stop() {
  stop_.request_stop();
  reader_.Stop();
}

io::Task<Status> SinkDriver::Tick() {
  const Micros now = clock_.Now();
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
  co_return co_await OnPool(work);
}

}  // namespace tidemark::edge

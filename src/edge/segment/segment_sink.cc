#include "edge/segment/segment_sink.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/check.h"
#include "edge/segment/finalize.h"
#include "edge/segment/schema_evolution.h"
#include "edge/segment/sink_lane.h"

namespace tidemark::edge {

class SegmentSink::Impl {
 public:
  Impl(SinkOptions options, const WalExtent& wal, SinkWorld world, SinkCounters so_far)
      : options_(std::move(options)),
        wal_(wal),
        world_(std::move(world)),
        counters_(std::move(so_far)) {}

  Status Open();
  Status Write(const format::WalRecord& record);
  Status WriteHole(const format::PositionRange& range, Micros now);
  Status CloseDue(Micros now);
  Status FinishAll();
  Status AdvanceLowest();
  Status NoticeRemoved();

  void ReadThrough(Position position) { read_ = std::max(read_, position); }

  // Without a data set nothing is waited for.
  Position watermark() const {
    return books_->cursor.coverage.empty() ? read_ : books_->cursor.Watermark();
  }

  bool room() const { return disk_bytes() < options_.disk_bytes_max && !rejects_full(); }

  std::optional<Micros> oldest_open() const { return OldestOpen(lanes_); }

  std::size_t open_files() const;
  std::size_t memory_bytes() const;

  std::int64_t disk_bytes() const { return ready_bytes_ + staged_bytes_; }

  std::int64_t reject_bytes() const { return books_->rejects->bytes(); }

  const SinkCounters& counters() const { return counters_; }

  const SinkOptions& options() const { return options_; }

 private:
  bool Covers(const SinkLane& lane, Position position) const {
    return position <= covered_at_start_ && position <= CoverageOf(lane);
  }

  Position CoverageOf(const SinkLane& lane) const {
    return books_->cursor.coverage.find(lane.folder())->second;
  }

  bool rejects_full() const { return reject_bytes() >= options_.reject_bytes_max; }

  Status WriteLane(SinkLane& lane, std::size_t index, const format::WalRecord& record);
  Status OpenFor(SinkLane& lane, std::size_t index, const format::WalRecord& record);
  Status CloseIfFull(SinkLane& lane, Position position);
  Status WriteUnmatched(const format::WalRecord& record, bool matched);
  Status AddReject(const format::WalRecord& record, const SinkLane* lane, Reject reject);
  Status Finalize(SinkLane& lane, Position through);
  Status CoverIdle(SinkLane& lane, Position through);
  Status FinalizeAll();
  Status CoverUnmatched();

  SinkOptions options_;
  WalExtent wal_;
  SinkWorld world_;
  std::unique_ptr<SinkBooks> books_;
  std::vector<std::unique_ptr<SinkLane>> lanes_;
  std::vector<std::unique_ptr<DatasetDecoder>> elsewhere_;
  Position read_;              // every data set has seen everything up to here
  Position covered_at_start_;  // nothing beyond is covered and yet to be read
  Micros last_marked_;
  std::uint64_t writes_ = 0;
  std::uint64_t staged_ = 0;  // files begun below staging/
  std::int64_t ready_bytes_ = 0;
  std::int64_t staged_bytes_ = 0;  // of the open files
  SinkCounters counters_;
};

Status SegmentSink::Impl::Open() {
  if (options_.disk_bytes_max < options_.rotation.max_bytes) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("sink {}: max_disk {} is less than rotation.max_bytes {}",
                            options_.id,
                            options_.disk_bytes_max,
                            options_.rotation.max_bytes));
  }
  std::vector<std::string> folders;
  SinkFolder schemas(world_.files, options_.schemas_folder);
  for (const DatasetSpec& spec : options_.datasets) {
    TIDEMARK_TRY(auto lane, SinkLane::Create(spec, options_));
    TIDEMARK_TRY_VOID(CheckKeptSchema(schemas, lane->folder(), lane->schema()));
    folders.push_back(lane->folder());
    lanes_.push_back(std::move(lane));
  }
  for (const DatasetSpec& spec : options_.datasets_elsewhere) {
    TIDEMARK_TRY(auto decoder, DatasetDecoder::Create(spec, options_.node_id, options_.form));
    elsewhere_.push_back(std::move(decoder));
  }
  TIDEMARK_TRY(books_,
               RecoverSink(options_.folder, folders, options_.keeps_unmatched, wal_, world_));
  ready_bytes_ = books_->ready_bytes();
  read_ = watermark();
  for (const auto& [dataset, position] : books_->cursor.coverage) {
    covered_at_start_ = std::max(covered_at_start_, position);
  }
  // Only now: a start that is refused changes nothing.
  for (const auto& lane : lanes_) {
    TIDEMARK_TRY_VOID(KeepSchema(schemas, lane->folder(), lane->schema()));
    TIDEMARK_TRY_VOID(PublishSchema(books_->folder, lane->folder(), lane->schema()));
    counters_.CountUncounted(
        books_->catalog->state(), lane->folder(), wal_.epoch, CoverageOf(*lane));
  }
  return {};
}

Status SegmentSink::Impl::Write(const format::WalRecord& record) {
  TIDEMARK_CHECK(
      record.position > read_, "position {} after {}", record.position.value(), read_.value());
  ++writes_;
  bool matched = false;
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    SinkLane& lane = *lanes_[i];
    if (!lane.Takes(record)) continue;
    matched = true;
    if (Covers(lane, record.position)) continue;
    TIDEMARK_TRY_VOID(WriteLane(lane, i, record));
  }
  TIDEMARK_TRY_VOID(WriteUnmatched(record, matched));
  read_ = record.position;
  if (room()) return {};
  // Somebody is to take away what is there: rejects only when none of them is decided again.
  return rejects_full() ? FinishAll() : FinalizeAll();
}

Status SegmentSink::Impl::WriteLane(SinkLane& lane,
                                    std::size_t index,
                                    const format::WalRecord& record) {
  if (record.full_bytes > 0) {
    return AddReject(
        record,
        &lane,
        {.reason = reason::kSize,
         .detail = fmt::format("{} bytes, cut to {}", record.full_bytes, record.payload.size())});
  }
  if (lane.is_open()) {
    const std::int64_t age = record.ingest_time - lane.open().first_ingest_time();
    if (lane.open().Excludes(record.ingest_time, record.clock_synced) ||
        age >= options_.rotation.max_age_us) {
      TIDEMARK_TRY_VOID(Finalize(lane, record.position - 1));
    }
  }
  EventTimeSpan span;
  const std::size_t rows_before = lane.batch_rows();
  DecodeOutcome outcome = lane.Decode(record, span);
  if (outcome.reject) return AddReject(record, &lane, *std::move(outcome.reject));
  counters_.CountJudged(lane.folder(), record.position, outcome.unknown_dropped, "");
  const std::size_t added = lane.batch_rows() - rows_before;
  if (added == 0) return {};
  if (!lane.is_open()) TIDEMARK_TRY_VOID(OpenFor(lane, index, record));
  lane.open().Note(record.ingest_time, span);
  lane.written_at = writes_;
  return CloseIfFull(lane, record.position);
}

Status SegmentSink::Impl::OpenFor(SinkLane& lane,
                                  std::size_t index,
                                  const format::WalRecord& record) {
  if (open_files() >= options_.open_files_max) {
    const std::size_t oldest = LeastRecentlyWritten(lanes_);
    // A data set behind this one has not seen the record yet.
    const Position seen = oldest < index ? record.position : record.position - 1;
    TIDEMARK_TRY_VOID(Finalize(*lanes_[oldest], seen));
  }
  const std::string path =
      books_->folder.Sub(fmt::format("staging/{}/{}.inprogress", lane.folder(), ++staged_));
  TIDEMARK_TRY(auto segment,
               OpenSegment::Create(books_->folder,
                                   path,
                                   lane.schema(),
                                   options_.form,
                                   record.ingest_time,
                                   record.clock_synced));
  lane.Begin(std::move(segment));
  return {};
}

Status SegmentSink::Impl::CloseIfFull(SinkLane& lane, Position position) {
  const bool rows_full =
      options_.rotation.max_rows > 0 && lane.rows() >= options_.rotation.max_rows;
  if (!rows_full && !lane.BatchIsFull()) return {};
  const std::int64_t before = lane.open().file_bytes();
  TIDEMARK_TRY_VOID(lane.Encode());
  staged_bytes_ += lane.open().file_bytes() - before;
  if (!rows_full && lane.open().file_bytes() < options_.rotation.max_bytes) return {};
  return Finalize(lane, position);
}

Status SegmentSink::Impl::WriteUnmatched(const format::WalRecord& record, bool matched) {
  if (!options_.keeps_unmatched || matched) return {};
  if (record.position <= books_->cursor.coverage.find(kUnmatchedLane)->second) return {};
  const bool elsewhere =
      std::ranges::any_of(elsewhere_, [&](const auto& decoder) { return decoder->Takes(record); });
  if (elsewhere) return {};
  if (options_.drops_unmatched) {
    counters_.CountJudged(kUnmatchedLane, record.position, 0, reason::kUnmatchedDropped);
    return {};
  }
  return AddReject(record,
                   nullptr,
                   {.reason = reason::kUnmatched,
                    .detail = fmt::format(
                        "no sink takes source {}, topic \"{}\"", record.source, record.topic)});
}

// Without a lane: no data set takes the record.
Status SegmentSink::Impl::AddReject(const format::WalRecord& record,
                                    const SinkLane* lane,
                                    Reject reject) {
  RejectedBy by;
  if (lane != nullptr) by = {lane->schema().dataset, lane->schema().version};
  counters_.CountJudged(
      lane == nullptr ? kUnmatchedLane : lane->folder(), record.position, 0, reject.reason);
  return books_->rejects->Add(RejectOf(record, wal_.epoch, by, std::move(reject)));
}

Status SegmentSink::Impl::WriteHole(const format::PositionRange& range, Micros now) {
  if (range.last <= read_) return {};
  ReadThrough(range.last);
  if (!options_.keeps_unmatched) return {};
  // A data set that is behind makes the log be read again where this was told already.
  const Position told = books_->cursor.coverage.find(kUnmatchedLane)->second;
  if (range.last <= told) return {};
  format::WalRecord record;
  record.position = std::max(range.first, told + 1);
  record.ingest_time = now;
  return AddReject(record,
                   nullptr,
                   {.reason = reason::kWalDamaged,
                    .detail = fmt::format("the write-ahead log lost positions {} to {}",
                                          range.first.value(),
                                          range.last.value())});
}

Status SegmentSink::Impl::Finalize(SinkLane& lane, Position through) {
  staged_bytes_ -= lane.open().file_bytes();
  TIDEMARK_TRY_VOID(lane.Encode());
  const auto segment = lane.End();
  const format::PositionRange range{CoverageOf(lane) + 1, through};
  FinalizePlan plan;
  plan.dataset = lane.folder();
  plan.name = {.node = options_.node_id, .epoch = wal_.epoch, .range = range};
  plan.footer = {.dataset = lane.schema().dataset,
                 .schema_fp = lane.schema_fp(),
                 .range = range,
                 .config_hash = options_.config_hash,
                 .enrichment_hash = {},
                 .clock_synced = segment->clock_synced(),
                 .event_time_min = segment->event_times().min,
                 .event_time_max = segment->event_times().max};
  plan.read_through = read_;
  plan.keeps_unmatched = options_.keeps_unmatched;
  plan.crash_at = options_.crash_at;
  TIDEMARK_TRY(const auto record, FinalizeSegment(*segment, plan, *books_));
  ready_bytes_ += record.bytes;
  counters_.CountFile(record);
  return {};
}

Status SegmentSink::Impl::CoverIdle(SinkLane& lane, Position through) {
  const format::PositionRange range{CoverageOf(lane) + 1, through};
  if (range.last < range.first) return {};
  ++counters_.coverage_markers;
  return CoverWithoutRows(lane.folder(), range, read_, options_.keeps_unmatched, *books_);
}

Status SegmentSink::Impl::CloseDue(Micros now) {
  const bool mark = now - last_marked_ >= options_.rotation.max_age_us || now < last_marked_;
  for (const auto& lane : lanes_) {
    if (lane->is_open()) {
      const bool due = lane->open().IsDue(now, options_.rotation.max_age_us);
      if (due) TIDEMARK_TRY_VOID(Finalize(*lane, read_));
    } else if (mark) {
      TIDEMARK_TRY_VOID(CoverIdle(*lane, read_));
    }
  }
  if (mark && lanes_.empty()) TIDEMARK_TRY_VOID(CoverUnmatched());
  if (mark) last_marked_ = now;
  return {};
}

Status SegmentSink::Impl::FinalizeAll() {
  for (const auto& lane : lanes_) {
    if (lane->is_open()) TIDEMARK_TRY_VOID(Finalize(*lane, read_));
  }
  return {};
}

Status SegmentSink::Impl::FinishAll() {
  TIDEMARK_TRY_VOID(FinalizeAll());
  for (const auto& lane : lanes_) TIDEMARK_TRY_VOID(CoverIdle(*lane, read_));
  return CoverUnmatched();
}

Status SegmentSink::Impl::CoverUnmatched() {
  TIDEMARK_TRY_VOID(books_->rejects->Commit(wal_.epoch, read_));
  if (!options_.keeps_unmatched) return {};
  return books_->CommitCursor(kUnmatchedLane, read_);
}

Status SegmentSink::Impl::AdvanceLowest() {
  const auto lowest =
      std::ranges::min_element(lanes_, {}, [this](const auto& lane) { return CoverageOf(*lane); });
  if (lowest == lanes_.end()) return CoverUnmatched();
  const Position low = CoverageOf(**lowest);
  for (const auto& lane : lanes_) {
    if (CoverageOf(*lane) != low) continue;
    TIDEMARK_TRY_VOID(lane->is_open() ? Finalize(*lane, read_) : CoverIdle(*lane, read_));
  }
  return {};
}

Status SegmentSink::Impl::NoticeRemoved() {
  TIDEMARK_TRY_VOID(DropMissing(*books_, world_));
  ready_bytes_ = books_->ready_bytes();
  return rejects_full() ? books_->rejects->NoticeMoved() : Status();
}

std::size_t SegmentSink::Impl::open_files() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(lanes_, [](const auto& lane) { return lane->is_open(); }));
}

std::size_t SegmentSink::Impl::memory_bytes() const {
  std::size_t bytes = 0;
  for (const auto& lane : lanes_) bytes += lane->memory_bytes();
  return bytes;
}

SegmentSink::SegmentSink(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

SegmentSink::~SegmentSink() = default;

Result<std::unique_ptr<SegmentSink>> SegmentSink::Open(SinkOptions options,
                                                       const WalExtent& wal,
                                                       SinkWorld world,
                                                       SinkCounters so_far) {
  auto impl = std::make_unique<Impl>(std::move(options), wal, std::move(world), std::move(so_far));
  TIDEMARK_TRY_VOID(impl->Open());
  return std::unique_ptr<SegmentSink>(new SegmentSink(std::move(impl)));
}

Position SegmentSink::next() const { return impl_->watermark() + 1; }

Status SegmentSink::Write(const format::WalRecord& record) { return impl_->Write(record); }

Status SegmentSink::WriteHole(const format::PositionRange& range, Micros now) {
  return impl_->WriteHole(range, now);
}

void SegmentSink::ReadThrough(Position position) { impl_->ReadThrough(position); }

Status SegmentSink::CloseDue(Micros now) { return impl_->CloseDue(now); }

Status SegmentSink::FinishAll() { return impl_->FinishAll(); }

Status SegmentSink::AdvanceLowest() { return impl_->AdvanceLowest(); }

Status SegmentSink::NoticeRemoved() { return impl_->NoticeRemoved(); }

Position SegmentSink::watermark() const { return impl_->watermark(); }

bool SegmentSink::room() const { return impl_->room(); }

std::optional<Micros> SegmentSink::oldest_open() const { return impl_->oldest_open(); }

std::size_t SegmentSink::open_files() const { return impl_->open_files(); }

std::int64_t SegmentSink::disk_bytes() const { return impl_->disk_bytes(); }

std::int64_t SegmentSink::reject_bytes() const { return impl_->reject_bytes(); }

std::size_t SegmentSink::memory_bytes() const { return impl_->memory_bytes(); }

const SinkCounters& SegmentSink::counters() const { return impl_->counters(); }

const SinkOptions& SegmentSink::options() const { return impl_->options(); }

}  // namespace tidemark::edge

#include "edge/segment/open_segment.h"

#include <algorithm>
#include <utility>

namespace tidemark::edge {

namespace {

constexpr std::size_t kChunkBytes = 1 << 20;
// While the clock steps back by less, the log holds its times up.
constexpr std::int64_t kAheadMaxUs = kMicrosPerSecond;

}  // namespace

Result<std::unique_ptr<OpenSegment>> OpenSegment::Create(SinkFolder& folder,
                                                         std::string staging_path,
                                                         const format::SegmentSchema& schema,
                                                         const datafile::SegmentForm& form,
                                                         Micros ingest_time,
                                                         bool clock_synced) {
  std::unique_ptr<OpenSegment> segment(new OpenSegment());
  TIDEMARK_TRY_VOID(folder.folders.Ensure(io::FolderOf(staging_path)));
  TIDEMARK_TRY(segment->file_, folder.files.CreateLocked(staging_path));
  TIDEMARK_TRY(segment->writer_, datafile::NewSegmentWriter(schema, form));
  segment->path_ = std::move(staging_path);
  segment->first_ingest_time_ = ingest_time;
  segment->ingest_time_min_ = ingest_time;
  segment->ingest_time_max_ = ingest_time;
  segment->clock_synced_ = clock_synced;
  return segment;
}

Status OpenSegment::Write(const datafile::ColumnBatch& batch) {
  TIDEMARK_TRY_VOID(writer_->Write(batch));
  file_bytes_ = writer_->file_bytes();
  return writer_->pending_bytes() >= kChunkBytes ? Drain() : Status();
}

Status OpenSegment::Drain() {
  const std::string bytes = writer_->TakeBytes();
  TIDEMARK_TRY_VOID(file_->WriteAt(written_, bytes));
  written_ += static_cast<std::int64_t>(bytes.size());
  return {};
}

void OpenSegment::Note(Micros ingest_time, const EventTimeSpan& span) {
  ingest_time_min_ = std::min(ingest_time_min_, ingest_time);
  ingest_time_max_ = std::max(ingest_time_max_, ingest_time);
  event_times_.Add(span);
}

bool OpenSegment::Excludes(Micros ingest_time, bool clock_synced) const {
  return clock_synced != clock_synced_ ||
         FloorTo(ingest_time, kMicrosPerHour) != FloorTo(first_ingest_time_, kMicrosPerHour);
}

bool OpenSegment::IsDue(Micros now, std::int64_t max_age_us) const {
  const std::int64_t age = now - first_ingest_time_;
  return age >= max_age_us || age < -kAheadMaxUs;
}

Result<datafile::SegmentStats> OpenSegment::Close(const format::FooterPairs& pairs) {
  TIDEMARK_TRY(const auto stats, writer_->Finish(pairs));
  TIDEMARK_TRY_VOID(Drain());
  return stats;
}

}  // namespace tidemark::edge

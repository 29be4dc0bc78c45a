#pragma once
// A segment being written below staging/: encoder, file, and what is known about its rows.

#include <memory>
#include <string>

#include "base/result.h"
#include "datafile/segment_writer.h"
#include "edge/dataset/dataset_decoder.h"
#include "edge/segment/durable_file.h"
#include "format/segment_footer.h"

namespace tidemark::edge {

// One thread. Destroyed without Close, it leaves a file that the next start removes.
class OpenSegment {
 public:
  // The first row's clock decides where the file will stand.
  static Result<std::unique_ptr<OpenSegment>> Create(SinkFolder& folder,
                                                     std::string staging_path,
                                                     const format::SegmentSchema& schema,
                                                     const datafile::SegmentForm& form,
                                                     Micros ingest_time,
                                                     bool clock_synced);

  // The rows of `batch` (not empty), taken in between the times.
  Status Write(const datafile::ColumnBatch& batch);

  // Rows from a record of this time are in the file, or will be.
  void Note(Micros ingest_time, const EventTimeSpan& span);

  // A record of this time belongs into another file: another hour, or another trust in the clock.
  bool Excludes(Micros ingest_time, bool clock_synced) const;

  // The first row is so old at `now`; or more than a second ahead of it: the clock stepped back,
  // and tells no age any more.
  bool IsDue(Micros now, std::int64_t max_age_us) const;

  // Ends the file; it is written, and not yet synced.
  Result<datafile::SegmentStats> Close(const format::FooterPairs& pairs);

  Status Sync() { return file_->Sync(); }

  std::int64_t rows() const { return writer_->rows(); }

  // What it would come to if it ended now.
  std::int64_t file_bytes() const { return file_bytes_; }

  std::size_t memory_bytes() const { return writer_->memory_bytes(); }

  const std::string& path() const { return path_; }

  Micros first_ingest_time() const { return first_ingest_time_; }

  Micros ingest_time_min() const { return ingest_time_min_; }

  Micros ingest_time_max() const { return ingest_time_max_; }

  const EventTimeSpan& event_times() const { return event_times_; }

  bool clock_synced() const { return clock_synced_; }

 private:
  OpenSegment() = default;

  Status Drain();

  std::string path_;
  std::unique_ptr<io::File> file_;
  std::unique_ptr<datafile::SegmentWriter> writer_;
  std::int64_t written_ = 0;
  std::int64_t file_bytes_ = 0;
  Micros first_ingest_time_;
  Micros ingest_time_min_;
  Micros ingest_time_max_;
  bool clock_synced_ = false;
  EventTimeSpan event_times_;
};

}  // namespace tidemark::edge

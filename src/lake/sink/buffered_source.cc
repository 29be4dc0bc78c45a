#include "lake/sink/buffered_source.h"

namespace tidemark::lake {

namespace {

constexpr std::size_t kBatchRecords = 4096;

}  // namespace

void BufferedSource::Rewind() { lane_ = run_ = record_ = 0; }

bool BufferedSource::SkipToRecords() {
  for (; lane_ < plan_.lanes.size(); ++lane_, run_ = 0) {
    const auto& runs = plan_.lanes[lane_].runs;
    for (; run_ < runs.size(); ++run_, record_ = 0) {
      if (record_ < runs[run_].view().size()) return true;
    }
  }
  return false;
}

io::Task<Result<std::span<const format::RecordView>>> BufferedSource::Next() {
  batch_.clear();
  while (batch_.size() < kBatchRecords && SkipToRecords()) {
    const PlannedLane& lane = plan_.lanes[lane_];
    const Run& run = lane.runs[run_];
    const auto records = run.view();
    for (; record_ < records.size() && batch_.size() < kBatchRecords; ++record_) {
      const auto& record = records[record_];
      batch_.push_back({.partition = lane.partition,
                        .offset = record.offset,
                        .transaction_id = record.transaction_id(*run.body),
                        .ts = record.ts,
                        .payload = record.payload(*run.body)});
    }
  }
  co_return std::span<const format::RecordView>(batch_);
}

}  // namespace tidemark::lake

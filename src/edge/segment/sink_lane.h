#pragma once
// One data set of a sink: its decoder, the rows not yet encoded, the file being written.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "edge/dataset/dataset_decoder.h"
#include "edge/segment/open_segment.h"
#include "edge/segment/sink_options.h"

namespace tidemark::edge {

// One thread.
class SinkLane {
 public:
  static Result<std::unique_ptr<SinkLane>> Create(const DatasetSpec& spec,
                                                  const SinkOptions& options);

  // The rows of a record, kept in memory; the file for them is opened by the caller before Encode.
  DecodeOutcome Decode(const format::WalRecord& record, EventTimeSpan& span);

  // Moves the rows in memory into the open file.
  Status Encode();

  bool Takes(const format::WalRecord& record) const { return decoder_->Takes(record); }

  // The rows in memory are worth a call of the encoder. To be asked after each record.
  bool BatchIsFull();

  std::int64_t rows() const {
    return (open_ ? open_->rows() : 0) + static_cast<std::int64_t>(batch_.rows());
  }

  std::size_t batch_rows() const { return batch_.rows(); }

  std::size_t memory_bytes() const {
    return batch_.memory_bytes() + (open_ ? open_->memory_bytes() : 0);
  }

  bool is_open() const { return open_ != nullptr; }

  OpenSegment& open() { return *open_; }

  const OpenSegment& open() const { return *open_; }

  void Begin(std::unique_ptr<OpenSegment> segment) { open_ = std::move(segment); }

  // The rows in memory were encoded before.
  std::unique_ptr<OpenSegment> End();

  const std::string& folder() const { return folder_; }

  const std::string& schema_fp() const { return schema_fp_; }

  const format::SegmentSchema& schema() const { return decoder_->schema(); }

  // Counts the writes of the sink; the lane with the lowest was written least recently.
  std::uint64_t written_at = 0;

 private:
  SinkLane(std::unique_ptr<DatasetDecoder> decoder, std::size_t batch_bytes_max);

  Status EncodePieces();
  void ForgetRows(std::size_t bytes_kept);

  std::unique_ptr<DatasetDecoder> decoder_;
  std::string folder_;
  std::string schema_fp_;
  std::size_t batch_bytes_max_;
  std::size_t unweighed_bytes_ = 0;  // of payloads and topics since the batch was weighed
  datafile::ColumnBatch batch_;
  std::unique_ptr<OpenSegment> open_;
};

// The first ingest time of all open files; nullopt: there is none.
std::optional<Micros> OldestOpen(const std::vector<std::unique_ptr<SinkLane>>& lanes);

// Of the lanes with an open file (there is one), the index of the one written least recently.
std::size_t LeastRecentlyWritten(const std::vector<std::unique_ptr<SinkLane>>& lanes);

}  // namespace tidemark::edge

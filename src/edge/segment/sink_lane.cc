#include "edge/segment/sink_lane.h"

#include <algorithm>

#include "format/segment_name.h"

namespace tidemark::edge {

namespace {

constexpr std::size_t kBatchRows = 1024;
constexpr std::size_t kBatchBytesMax = 1 << 20;
// A batch is small against the sizes that close a file or a row group, which are looked at between
// batches.
constexpr std::int64_t kBatchesPerLimit = 16;
// Rows take about as many bytes as payload and topic have: they are added up, column by column,
// only after so many of these.
constexpr std::size_t kWeighEvery = 8 << 10;
// A batch that is to be smaller is weighed so often at least.
constexpr std::size_t kWeighings = 16;
// What a record exploded into may be far more than a row group, which the encoder would hold
// several times over: beyond so many bytes it is given pieces, and ends row groups in between.
constexpr std::size_t kWholeBytesMax = 16 << 20;
constexpr std::size_t kPieceBytes = 4 << 20;
// What empty columns may hold on to: a record of many rows must not keep its memory for good.
constexpr std::size_t kKeptBytes = 4 << 20;

}  // namespace

SinkLane::SinkLane(std::unique_ptr<DatasetDecoder> decoder, std::size_t batch_bytes_max)
    : decoder_(std::move(decoder)),
      folder_(format::DatasetFolder(decoder_->spec().id, decoder_->spec().version)),
      schema_fp_(format::SchemaFingerprint(decoder_->schema())),
      batch_bytes_max_(batch_bytes_max),
      batch_(datafile::NewBatch(decoder_->schema())) {}

Result<std::unique_ptr<SinkLane>> SinkLane::Create(const DatasetSpec& spec,
                                                   const SinkOptions& options) {
  TIDEMARK_TRY(auto decoder, DatasetDecoder::Create(spec, options.node_id, options.form));
  const std::int64_t limit = std::min(options.rotation.max_bytes, options.form.row_group_bytes);
  const auto batch_bytes = static_cast<std::size_t>(
      std::max<std::int64_t>(std::min<std::int64_t>(limit / kBatchesPerLimit, kBatchBytesMax), 1));
  return std::unique_ptr<SinkLane>(new SinkLane(std::move(decoder), batch_bytes));
}

bool SinkLane::BatchIsFull() {
  if (batch_.rows() >= kBatchRows) return true;
  if (unweighed_bytes_ < std::min(kWeighEvery, batch_bytes_max_ / kWeighings)) return false;
  unweighed_bytes_ = 0;
  return batch_.value_bytes() >= batch_bytes_max_;
}

DecodeOutcome SinkLane::Decode(const format::WalRecord& record, EventTimeSpan& span) {
  DecodeOutcome outcome = decoder_->Decode(record, batch_, span);
  if (outcome.reject && batch_.rows() == 0) ForgetRows(is_open() ? kKeptBytes : 0);
  if (!outcome.reject) unweighed_bytes_ += record.payload.size() + record.topic.size();
  return outcome;
}

Status SinkLane::Encode() {
  if (batch_.rows() == 0) return {};
  Status written = batch_.value_bytes() > kWholeBytesMax ? EncodePieces() : open_->Write(batch_);
  ForgetRows(kKeptBytes);
  return written;
}

Status SinkLane::EncodePieces() {
  const std::size_t rows = batch_.rows();
  const std::size_t pieces = std::min(rows, batch_.value_bytes() / kPieceBytes);
  auto piece = datafile::NewBatch(decoder_->schema());
  for (std::size_t i = 0; i < pieces; ++i) {
    piece.Clear();
    piece.AddRows(batch_, rows * i / pieces, rows * (i + 1) / pieces);
    TIDEMARK_TRY_VOID(open_->Write(piece));
  }
  return {};
}

std::unique_ptr<OpenSegment> SinkLane::End() {
  // Of many data sets, only those with an open file hold memory.
  ForgetRows(0);
  return std::move(open_);
}

void SinkLane::ForgetRows(std::size_t bytes_kept) {
  batch_.Clear();
  unweighed_bytes_ = 0;
  if (batch_.memory_bytes() > bytes_kept) batch_ = datafile::NewBatch(decoder_->schema());
}

std::optional<Micros> OldestOpen(const std::vector<std::unique_ptr<SinkLane>>& lanes) {
  std::optional<Micros> oldest;
  for (const auto& lane : lanes) {
    if (!lane->is_open()) continue;
    const Micros first = lane->open().first_ingest_time();
    oldest = oldest ? std::min(*oldest, first) : first;
  }
  return oldest;
}

std::size_t LeastRecentlyWritten(const std::vector<std::unique_ptr<SinkLane>>& lanes) {
  std::size_t oldest = lanes.size();
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    const bool older = oldest == lanes.size() || lanes[i]->written_at < lanes[oldest]->written_at;
    if (lanes[i]->is_open() && older) oldest = i;
  }
  return oldest;
}

}  // namespace tidemark::edge

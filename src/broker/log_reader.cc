#include "broker/log_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "broker/segment.h"
#include "format/json_text.h"

namespace tidemark::broker {

namespace {

constexpr int kAttemptsMax = 10;

// A segment was deleted between the look at the catalog and the read: what was about to be answered
// is no longer true.
std::unexpected<Error> LogChanged() {
  return Fail(ErrorCode::kUnavailable, "the log changed while it was read");
}

}  // namespace

LogReader::LogReader(Database db, const Catalog& catalog)
    : db_(std::move(db)),
      catalog_(catalog),
      // From the segment that holds the offset; a lane's segments tile [log_start, next).
      segments_(db_.Prepare(
          "SELECT base_offset, record_count, marks, data FROM segments WHERE partition_id = ?1 "
          "AND base_offset >= (SELECT max(base_offset) FROM segments "
          "                    WHERE partition_id = ?1 AND base_offset <= ?2) "
          "AND base_offset < ?3 ORDER BY base_offset")) {}

Result<FetchAnswer> LogReader::Fetch(const FetchRequest& request) {
  std::vector<PartitionRef> refs;
  refs.reserve(request.entries.size());
  for (const FetchEntry& entry : request.entries) refs.push_back({entry.queue, entry.partition});
  Result<FetchAnswer> answer = LogChanged();
  for (int attempt = 0; attempt < kAttemptsMax; ++attempt) {
    const std::vector<Lane> lanes = catalog_.Look(refs);
    answer = Render(request, lanes);
    segments_.Reset();
    if (answer || answer.error().code != ErrorCode::kUnavailable) break;
  }
  return answer;
}

Result<FetchAnswer> LogReader::Render(const FetchRequest& request, const std::vector<Lane>& lanes) {
  FetchAnswer answer;
  std::string& out = answer.body;
  Spent spent;
  out = R"({"entries":[)";
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    const FetchEntry& entry = request.entries[i];
    const Lane& lane = lanes[i];
    answer.seen.push_back(lane.state.payload_total);
    if (i > 0) out += ',';
    out += R"({"queue":)";
    format::AppendJsonString(entry.queue, out);
    out += R"(,"partition":)";
    format::AppendJsonString(entry.partition, out);
    out += R"(,"records":[)";
    const bool in_range = entry.offset >= lane.state.log_start && entry.offset <= lane.state.next;
    if (lane.queue_known && in_range && entry.offset < lane.state.next) {
      TIDEMARK_TRY_VOID(RenderRecords(entry, lane, spent, answer));
    }
    out += fmt::format(R"(],"highWatermark":{},"logStartOffset":{})",
                       lane.state.next.value(),
                       lane.state.log_start.value());
    if (!lane.queue_known) {
      out += R"(,"error":"UNKNOWN_TOPIC_OR_PARTITION")";
    } else if (!in_range) {
      out += R"(,"error":"OFFSET_OUT_OF_RANGE")";
    }
    answer.has_error |= !lane.queue_known || !in_range;
    out += '}';
  }
  out += "]}";
  return answer;
}

Status LogReader::RenderRecords(const FetchEntry& entry,
                                const Lane& lane,
                                Spent& spent,
                                FetchAnswer& answer) {
  std::string& out = answer.body;
  std::int64_t entry_bytes = 0;
  std::int64_t entry_records = 0;
  Offset next = entry.offset;
  segments_.With(lane.partition->value(), entry.offset.value(), lane.state.next.value());
  while (next < lane.state.next) {
    TIDEMARK_TRY(const bool row, segments_.Step());
    const Offset base(row ? segments_.Int(0) : 0);
    const std::int64_t count = row ? segments_.Int(1) : 0;
    // Segments tile the lane up to `next`, which is committed: only a deletion can open a hole.
    if (!row || base > next || base + count <= next) return LogChanged();

    const std::int64_t stored = segments_.BlobSize(2) + segments_.BlobSize(3);
    const bool fits =
        entry_bytes + stored <= entry.max_bytes && spent.stored + stored <= kCallBytesMax;
    if (!fits && spent.any_segment) return {};
    spent.any_segment = true;
    entry_bytes += stored;
    spent.stored += stored;

    TIDEMARK_TRY(const SegmentView segment, SegmentView::Of(segments_.Blob(3), segments_.Blob(2)));
    const std::int64_t first = next - base;
    const std::size_t room = kCallTextMax - std::min(kCallTextMax, out.size());
    std::int64_t n = std::min(segment.Fitting(first, room), kEntryRecordsMax - entry_records);
    if (n == 0 && !spent.any_record) n = 1;
    if (n == 0) return {};
    spent.any_record = true;
    if (entry_records > 0) out += ',';
    out += segment.Slice(first, n);
    answer.payload_bytes += segment.PayloadBytes(first, n);
    entry_records += n;
    next = next + n;
    if (first + n < count || entry_records == kEntryRecordsMax) return {};
  }
  return {};
}

Result<FetchAnswer> ReaderPool::Fetch(const FetchRequest& request) {
  TIDEMARK_TRY(std::unique_ptr<LogReader> reader, Take());
  auto answer = reader->Fetch(request);
  Return(std::move(reader));
  return answer;
}

Result<std::unique_ptr<LogReader>> ReaderPool::Take() {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      auto reader = std::move(idle_.back());
      idle_.pop_back();
      return reader;
    }
  }
  TIDEMARK_TRY(Database db, Database::OpenForReading(path_));
  return std::make_unique<LogReader>(std::move(db), catalog_);
}

void ReaderPool::Return(std::unique_ptr<LogReader> reader) {
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(reader));
}

}  // namespace tidemark::broker

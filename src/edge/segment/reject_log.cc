#include "edge/segment/reject_log.h"

#include <fmt/format.h>

#include <utility>

#include "edge/segment/log_frames.h"
#include "format/log_frame.h"

namespace tidemark::edge {

namespace {

constexpr char kName[] = "rejects.log";
constexpr std::size_t kPendingBytesMax = 1 << 20;

// The marks in what LogFrames cannot read, piece by piece.
Result<std::vector<format::RejectMark>> MarksAhead(LogFrames& frames) {
  constexpr std::int64_t kPieceBytes = 1 << 20;
  constexpr std::int64_t kOverlap = format::kRejectMarkFrameBytesMax - 1;
  std::vector<format::RejectMark> marks;
  while (true) {
    TIDEMARK_TRY(const auto piece, frames.Ahead(kPieceBytes));
    for (const auto& mark : format::RejectMarksIn(piece)) {
      if (marks.empty() || marks.back() != mark) marks.push_back(mark);  // once, in an overlap too
    }
    const auto bytes = static_cast<std::int64_t>(piece.size());
    if (bytes < kPieceBytes) return marks;
    frames.Skip(bytes - kOverlap);
  }
}

// Each mark is synced before the next is written, and before a cursor goes beyond it.
bool WereDurable(const std::vector<format::RejectMark>& marks,
                 const std::optional<format::SinkCursor>& cursor) {
  if (marks.size() != 1) return !marks.empty();
  return cursor && (marks[0].epoch != cursor->epoch || marks[0].through <= cursor->Watermark());
}

Status CheckEnd(LogFrames& frames,
                const std::string& path,
                const std::optional<format::SinkCursor>& cursor) {
  const std::int64_t end = frames.end();
  TIDEMARK_TRY(const auto marks, MarksAhead(frames));
  if (!WereDurable(marks, cursor)) return {};
  return Fail(
      ErrorCode::kCorruption,
      fmt::format("{}: damaged at byte {} of {}: rejects that were durable stand behind it, "
                  "up to position {}. Keep the file, it is the only place they are in: move "
                  "it away, and the next start begins a new one",
                  path,
                  end,
                  frames.size(),
                  marks.back().through.value()));
}

}  // namespace

format::RejectRecord RejectOf(const format::WalRecord& record,
                              Epoch epoch,
                              const RejectedBy& by,
                              Reject reject) {
  return {.epoch = epoch,
          .position = record.position,
          .ingest_time = record.ingest_time,
          .clock_synced = record.clock_synced,
          .dataset = std::string(by.dataset),
          .version = by.version,
          .source = std::string(record.source),
          .topic = std::string(record.topic),
          .reason = std::string(reject.reason),
          .detail = std::move(reject.detail),
          .payload = std::string(record.payload)};
}

Result<std::unique_ptr<RejectLog>> RejectLog::Open(SinkFolder& sink,
                                                   const Keeps& keeps,
                                                   const std::optional<format::SinkCursor>& cursor,
                                                   std::vector<std::string>& notes) {
  std::unique_ptr<RejectLog> log(new RejectLog(sink));
  TIDEMARK_TRY(const auto found, log->Read(keeps, cursor));
  if (found && found->size > found->marked) {
    notes.push_back(fmt::format("{}: {} bytes behind the last mark are decided again",
                                log->folder_.Sub(kName),
                                found->size - found->marked));
  }
  if (!found || found->marked == 0 || found->dropped > 0) {
    TIDEMARK_TRY_VOID(log->Rewrite(keeps, found ? found->marked : 0));
  } else {
    TIDEMARK_TRY(log->log_, DurableLog::GoOn(log->folder_, kName, found->vouched, found->marked));
  }
  return log;
}

Status RejectLog::Check(SinkFolder& sink, const std::optional<format::SinkCursor>& cursor) {
  TIDEMARK_TRY_VOID(RejectLog(sink).Read([](const format::RejectRecord&) { return true; }, cursor));
  return {};
}

Result<std::optional<RejectLog::Survey>> RejectLog::Read(
    const Keeps& keeps, const std::optional<format::SinkCursor>& cursor) {
  const std::string path = folder_.Sub(kName);
  TIDEMARK_TRY(auto frames, LogFrames::Open(folder_.files, path, format::kRejectMagic));
  if (!frames) return std::nullopt;
  Survey found{.vouched = frames->end(), .marked = frames->end(), .size = frames->size()};
  std::int64_t dropped = 0;  // since the last mark
  while (true) {
    TIDEMARK_TRY(const auto frame, frames->Next());
    if (!frame) {
      TIDEMARK_TRY_VOID(CheckEnd(*frames, path, cursor));
      return found;
    }
    auto entry = format::DecodeRejectEntry(BodyOf(*frame));
    if (!entry) return Annotate(std::move(entry.error()), path);
    if (const auto* reject = std::get_if<format::RejectRecord>(&*entry)) {
      dropped += keeps(*reject) ? 0 : 1;
      continue;
    }
    found.vouched = std::exchange(found.marked, frames->end());
    found.dropped += std::exchange(dropped, 0);
  }
}

// The log up to `marked` without what does not stand, or an empty one.
Status RejectLog::Rewrite(const Keeps& keeps, std::int64_t marked) {
  TIDEMARK_TRY(auto made, DurableLog::Prepare(folder_, kName));
  TIDEMARK_TRY_VOID(made.Append(format::kRejectMagic));
  const std::string path = folder_.Sub(kName);
  TIDEMARK_TRY(auto frames, LogFrames::Open(folder_.files, path, format::kRejectMagic));
  std::string kept;
  while (frames && frames->end() < marked) {
    TIDEMARK_TRY(const auto frame, frames->Next());
    if (!frame) return Fail(ErrorCode::kUnavailable, fmt::format("{} changed meanwhile", path));
    TIDEMARK_TRY(const auto entry, format::DecodeRejectEntry(BodyOf(*frame)));
    const auto* reject = std::get_if<format::RejectRecord>(&entry);
    if (reject == nullptr || keeps(*reject)) kept += *frame;
    if (kept.size() < kPendingBytesMax) continue;
    TIDEMARK_TRY_VOID(made.Append(kept));
    std::string().swap(kept);
  }
  TIDEMARK_TRY_VOID(made.Append(kept));
  TIDEMARK_TRY_VOID(made.Publish(folder_, kName));
  log_.emplace(std::move(made));
  return {};
}

Status RejectLog::Add(const format::RejectRecord& reject) {
  format::AppendLogFrame(format::EncodeRejectEntry(reject), pending_);
  dirty_ = true;
  if (pending_.size() < kPendingBytesMax) return {};
  return WritePending();
}

Status RejectLog::WritePending() {
  TIDEMARK_TRY_VOID(log_->Append(pending_));
  pending_.clear();
  // One long reject must not keep its memory for good.
  if (pending_.capacity() > 2 * kPendingBytesMax) std::string().swap(pending_);
  return {};
}

Status RejectLog::Commit(Epoch epoch, Position through) {
  if (!dirty_) return {};
  format::AppendLogFrame(
      format::EncodeRejectEntry(format::RejectMark{.epoch = epoch, .through = through}), pending_);
  TIDEMARK_TRY_VOID(WritePending());
  TIDEMARK_TRY_VOID(log_->Sync());
  dirty_ = false;
  return {};
}

Status RejectLog::NoticeMoved() {
  TIDEMARK_TRY(const auto there, folder_.files.SizeOf(folder_.Sub(kName)));
  if (there || dirty_) return {};
  TIDEMARK_TRY(auto begun, DurableLog::Begin(folder_, kName, format::kRejectMagic));
  log_.emplace(std::move(begun));
  return {};
}

std::int64_t RejectLog::bytes() const {
  return log_->bytes() + static_cast<std::int64_t>(pending_.size());
}

}  // namespace tidemark::edge

#include "edge/segment/reject_log.h"

#include <fmt/format.h>

#include "format/log_frame.h"

namespace tidemark::edge {

namespace {

constexpr char kName[] = "rejects.log";
constexpr std::size_t kPendingBytesMax = 1 << 20;

}  // namespace

Result<std::unique_ptr<RejectLog>> RejectLog::Open(SinkFolder& sink,
                                                   const Keeps& keeps,
                                                   std::vector<std::string>& notes) {
  std::unique_ptr<RejectLog> log(new RejectLog(sink));
  std::string kept(format::kRejectMagic);
  TIDEMARK_TRY_VOID(log->Read(keeps, notes, kept));
  TIDEMARK_TRY(auto begun, DurableLog::Begin(log->folder_, kName, kept));
  log->log_.emplace(std::move(begun));
  return log;
}

Status RejectLog::Check(SinkFolder& sink) {
  std::vector<std::string> notes;
  std::string kept;
  return RejectLog(sink).Read([](const format::RejectRecord&) { return false; }, notes, kept);
}

Status RejectLog::Read(const Keeps& keeps, std::vector<std::string>& notes, std::string& kept) {
  TIDEMARK_TRY(const auto bytes, ReadWhole(folder_.files, folder_.Sub(kName)));
  if (!bytes) return {};
  std::string_view rest = *bytes;
  std::string_view marked;  // the rest behind the last mark
  if (rest.starts_with(format::kRejectMagic)) rest.remove_prefix(format::kRejectMagic.size());
  marked = rest;
  std::string unmarked;
  while (const auto body = format::TakeLogFrame(rest)) {
    auto entry = format::DecodeRejectEntry(*body);
    if (!entry) return Annotate(std::move(entry.error()), folder_.Sub(kName));
    const auto* reject = std::get_if<format::RejectRecord>(&*entry);
    if (reject == nullptr) {
      format::AppendLogFrame(*body, unmarked);
      kept += unmarked;
      unmarked.clear();
      marked = rest;
    } else if (keeps(*reject)) {
      format::AppendLogFrame(*body, unmarked);
    }
  }
  if (!marked.empty()) {
    notes.push_back(fmt::format(
        "{}: {} bytes behind the last mark are decided again", folder_.Sub(kName), marked.size()));
  }
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

std::int64_t RejectLog::bytes() const {
  return log_->bytes() + static_cast<std::int64_t>(pending_.size());
}

}  // namespace tidemark::edge

#include "edge/segment/catalog_log.h"

#include <fmt/format.h>

#include "format/log_frame.h"

namespace tidemark::edge {

namespace {

constexpr char kName[] = "catalog.log";
// A log of fewer records is not worth writing anew.
constexpr std::size_t kRecordsKept = 4096;

}  // namespace

Result<format::CatalogState> ReadCatalog(SinkFolder& folder, std::vector<std::string>& notes) {
  format::CatalogState state;
  TIDEMARK_TRY(const auto bytes, ReadWhole(folder.files, folder.Sub(kName)));
  std::string_view rest = bytes ? std::string_view(*bytes) : std::string_view();
  const auto offset = [&] { return bytes->size() - rest.size(); };
  if (rest.starts_with(format::kCatalogMagic)) {
    rest.remove_prefix(format::kCatalogMagic.size());
    while (const auto body = format::TakeLogFrame(rest)) {
      const auto record = format::DecodeCatalogRecord(*body);
      const Status applied = record ? state.Apply(*record) : std::unexpected(record.error());
      if (applied) continue;
      return Fail(
          ErrorCode::kCorruption,
          fmt::format("{} at byte {}: {}", folder.Sub(kName), offset(), applied.error().message));
    }
  }
  if (!rest.empty()) {
    notes.push_back(fmt::format("{}: cut at byte {} of {}, behind the last whole record",
                                folder.Sub(kName),
                                offset(),
                                bytes->size()));
  }
  return state;
}

Result<std::unique_ptr<CatalogLog>> CatalogLog::Open(SinkFolder& folder,
                                                     std::vector<std::string>& notes) {
  std::unique_ptr<CatalogLog> log(new CatalogLog(folder));
  TIDEMARK_TRY(log->state_, ReadCatalog(folder, notes));
  TIDEMARK_TRY_VOID(log->Rewrite());
  return log;
}

Status CatalogLog::Rewrite() {
  std::string content(format::kCatalogMagic);
  const auto records = state_.Snapshot();
  for (const auto& record : records) {
    format::AppendLogFrame(format::EncodeCatalogRecord(record), content);
  }
  TIDEMARK_TRY(auto log, DurableLog::Begin(folder_, kName, content));
  log_.emplace(std::move(log));
  records_ = records.size();
  return {};
}

Status CatalogLog::Append(const format::CatalogRecord& record) {
  TIDEMARK_TRY_VOID(state_.CanApply(record));
  std::string frame;
  format::AppendLogFrame(format::EncodeCatalogRecord(record), frame);
  TIDEMARK_TRY_VOID(log_->Append(frame));
  TIDEMARK_TRY_VOID(log_->Sync());
  TIDEMARK_TRY_VOID(state_.Apply(record));
  ++records_;
  if (records_ > kRecordsKept && records_ > 2 * state_.LiveRecords()) return Rewrite();
  return {};
}

}  // namespace tidemark::edge

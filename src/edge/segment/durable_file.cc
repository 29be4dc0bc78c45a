#include "edge/segment/durable_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tidemark::edge {

namespace {

constexpr std::string_view kTemporaries = ".tidemark-tmp";

std::string TemporaryOf(const SinkFolder& folder, const std::string& name) {
  return folder.Sub(kTemporaries) + "/" + name;
}

Result<std::unique_ptr<io::File>> CreateTemporary(SinkFolder& folder, const std::string& name) {
  TIDEMARK_TRY_VOID(folder.folders.Ensure(folder.Sub(kTemporaries)));
  TIDEMARK_TRY_VOID(folder.files.Remove(TemporaryOf(folder, name)));
  return folder.files.CreateLocked(TemporaryOf(folder, name));
}

}  // namespace

Result<std::optional<std::string>> ReadWhole(io::FileSystem& files, const std::string& path) {
  TIDEMARK_TRY(const auto size, files.SizeOf(path));
  if (!size) return std::optional<std::string>();
  TIDEMARK_TRY(std::string bytes, files.Read(path, 0, *size));
  return std::optional<std::string>(std::move(bytes));
}

Result<std::unique_ptr<io::File>> ReplaceDurably(SinkFolder& folder,
                                                 const std::string& name,
                                                 std::string_view bytes) {
  TIDEMARK_TRY(auto file, CreateTemporary(folder, name));
  TIDEMARK_TRY_VOID(file->WriteAt(0, bytes));
  TIDEMARK_TRY_VOID(folder.folders.Publish(*file, TemporaryOf(folder, name), folder.Sub(name)));
  return file;
}

Result<DurableLog> DurableLog::Begin(SinkFolder& folder,
                                     const std::string& name,
                                     std::string_view content) {
  TIDEMARK_TRY(auto log, Prepare(folder, name));
  TIDEMARK_TRY_VOID(log.Append(content));
  TIDEMARK_TRY_VOID(log.Publish(folder, name));
  return log;
}

Result<DurableLog> DurableLog::Prepare(SinkFolder& folder, const std::string& name) {
  TIDEMARK_TRY(auto file, CreateTemporary(folder, name));
  return DurableLog(std::move(file), folder.Sub(name), 0);
}

Status DurableLog::Publish(SinkFolder& folder, const std::string& name) {
  return Keep(folder.folders.Publish(*file_, TemporaryOf(folder, name), folder.Sub(name)));
}

Result<DurableLog> DurableLog::GoOn(SinkFolder& folder,
                                    const std::string& name,
                                    std::int64_t vouched,
                                    std::int64_t end) {
  TIDEMARK_TRY_VOID(folder.folders.Ensure(folder.path));
  TIDEMARK_TRY(auto file, folder.files.OpenLocked(folder.Sub(name)));
  DurableLog log(std::move(file), folder.Sub(name), end);
  TIDEMARK_TRY_VOID(log.file_->Truncate(end));
  TIDEMARK_TRY_VOID(log.WriteAgain(folder.files, vouched));
  TIDEMARK_TRY_VOID(log.file_->Sync());
  // Who gave it its name may not have come to this.
  TIDEMARK_TRY_VOID(folder.files.SyncFolder(folder.path));
  return log;
}

Status DurableLog::WriteAgain(io::FileSystem& files, std::int64_t from) {
  constexpr std::int64_t kChunkBytes = 1 << 20;
  for (std::int64_t at = from; at < bytes_; at += kChunkBytes) {
    const std::int64_t size = std::min(kChunkBytes, bytes_ - at);
    TIDEMARK_TRY(const std::string chunk, files.Read(path_, at, size));
    if (static_cast<std::int64_t>(chunk.size()) != size) {
      return Fail(ErrorCode::kUnavailable, fmt::format("{} became shorter", path_));
    }
    TIDEMARK_TRY_VOID(file_->WriteAt(at, chunk));
  }
  return {};
}

Status DurableLog::Keep(Status status) {
  if (!status) {
    failure_ = status.error();
    failure_->message += " (nothing is appended to " + path_ + " any more; restart to recover)";
    return std::unexpected(*failure_);
  }
  return status;
}

Status DurableLog::Append(std::string_view bytes) {
  if (failure_) return std::unexpected(*failure_);
  TIDEMARK_TRY_VOID(Keep(file_->WriteAt(bytes_, bytes)));
  bytes_ += static_cast<std::int64_t>(bytes.size());
  return {};
}

Status DurableLog::Sync() {
  if (failure_) return std::unexpected(*failure_);
  return Keep(file_->Sync());
}

}  // namespace tidemark::edge

#include "edge/segment/durable_file.h"

#include <utility>

namespace tidemark::edge {

namespace {

constexpr std::string_view kTemporaries = ".tidemark-tmp";

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
  const std::string temporaries = folder.Sub(kTemporaries);
  const std::string temporary = temporaries + "/" + name;
  TIDEMARK_TRY_VOID(folder.folders.Ensure(temporaries));
  TIDEMARK_TRY_VOID(folder.files.Remove(temporary));
  TIDEMARK_TRY(auto file, folder.files.CreateLocked(temporary));
  TIDEMARK_TRY_VOID(file->WriteAt(0, bytes));
  TIDEMARK_TRY_VOID(folder.folders.Publish(*file, temporary, folder.Sub(name)));
  return file;
}

Result<DurableLog> DurableLog::Begin(SinkFolder& folder,
                                     const std::string& name,
                                     std::string_view content) {
  TIDEMARK_TRY(auto file, ReplaceDurably(folder, name, content));
  return DurableLog(std::move(file), folder.Sub(name), static_cast<std::int64_t>(content.size()));
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

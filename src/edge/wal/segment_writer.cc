#include "edge/wal/segment_writer.h"

#include "edge/wal/log_scan.h"

namespace tidemark::edge {

namespace {

// The file stays open under its final name.
Result<std::unique_ptr<io::File>> Publish(io::FileSystem& files,
                                          const std::string& folder,
                                          std::string_view name,
                                          std::string_view bytes) {
  const std::string path = folder + "/" + std::string(name);
  const std::string temporary = path + kTemporarySuffix;
  TIDEMARK_TRY_VOID(files.Remove(temporary));
  TIDEMARK_TRY(auto file, files.CreateLocked(temporary));
  const auto write = [&]() -> Status {
    TIDEMARK_TRY_VOID(file->WriteAt(0, bytes));
    TIDEMARK_TRY_VOID(file->Sync());
    return files.Rename(temporary, path);
  };
  if (const Status written = write(); !written) {
    IgnoreError(files.Remove(temporary), "the next start removes it");
    return std::unexpected(written.error());
  }
  if (Status synced = files.SyncFolder(folder); !synced) {
    // The name may be there after a crash or not.
    synced.error().code = ErrorCode::kOutcomeUnknown;
    return std::unexpected(std::move(synced.error()));
  }
  return file;
}

}  // namespace

Result<SegmentWriter> SegmentWriter::Create(io::FileSystem& files,
                                            const std::string& folder,
                                            const format::WalSegmentHeader& header,
                                            std::string_view groups) {
  std::string bytes = format::EncodeWalSegmentHeader(header);
  const auto header_bytes = static_cast<std::int64_t>(bytes.size());
  bytes.append(groups);
  const std::string name = format::WalSegmentName(header.first);
  TIDEMARK_TRY(auto file, Publish(files, folder, name, bytes));
  return SegmentWriter(
      folder + "/" + name, std::move(file), header_bytes, static_cast<std::int64_t>(bytes.size()));
}

Status SegmentWriter::Append(std::string_view group, bool sync) {
  if (const Status written = file_->WriteAt(bytes_, group); !written) {
    const Status cut = file_->Truncate(bytes_);
    if (cut) return written;
    Error error = cut.error();
    error.code = ErrorCode::kOutcomeUnknown;
    return Annotate(std::move(error), "cutting off a group that did not fit");
  }
  if (sync) {
    if (Status synced = file_->Sync(); !synced) {
      // Also for want of room: the system may take the pages for written now.
      synced.error().code = ErrorCode::kOutcomeUnknown;
      return synced;
    }
  }
  bytes_ += static_cast<std::int64_t>(group.size());
  return {};
}

Status PublishFile(io::FileSystem& files,
                   const std::string& folder,
                   std::string_view name,
                   std::string_view bytes) {
  TIDEMARK_TRY(const auto file, Publish(files, folder, name, bytes));
  return {};
}

}  // namespace tidemark::edge

#include "edge/segment/ready_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "base/digest.h"
#include "datafile/segment_footer_reader.h"

namespace tidemark::edge {

namespace {

constexpr std::int64_t kChunkBytes = 1 << 20;
constexpr std::string_view kSchemas = "_tidemark";

struct Entry {
  std::string name;
  bool is_folder;
};

Result<std::vector<Entry>> EntriesOf(io::FileSystem& files, const std::string& path) {
  std::vector<Entry> entries;
  TIDEMARK_TRY_VOID(files.VisitFolder(path, [&](std::string_view name, bool is_folder) {
    entries.push_back({std::string(name), is_folder});
  }));
  return entries;
}

// Adds every file below `ready/<below>`.
Status Collect(SinkFolder& folder, const std::string& below, std::vector<std::string>& paths) {
  TIDEMARK_TRY(const auto entries, EntriesOf(folder.files, folder.Sub("ready/" + below)));
  for (const Entry& entry : entries) {
    const std::string path = below + "/" + entry.name;
    if (entry.is_folder) {
      TIDEMARK_TRY_VOID(Collect(folder, path, paths));
    } else {
      paths.push_back(path);
    }
  }
  return {};
}

Result<Sha256Digest> DigestOf(io::FileSystem& files, const std::string& path, std::int64_t size) {
  Sha256 digest;
  for (std::int64_t at = 0; at < size; at += kChunkBytes) {
    TIDEMARK_TRY(const std::string bytes, files.Read(path, at, std::min(kChunkBytes, size - at)));
    digest.Update(bytes);
  }
  return digest.Finish();
}

Result<datafile::SegmentFacts> FactsOf(io::FileSystem& files,
                                       const std::string& path,
                                       std::int64_t size) {
  const std::int64_t tail_at = std::max<std::int64_t>(size - datafile::kParquetTailBytes, 0);
  TIDEMARK_TRY(const std::string tail, files.Read(path, tail_at, datafile::kParquetTailBytes));
  TIDEMARK_TRY(const std::int64_t length, datafile::ParquetFooterBytes(tail));
  if (length > size) return Fail(ErrorCode::kCorruption, "its footer is longer than the file");
  TIDEMARK_TRY(const std::string footer, files.Read(path, size - length, length));
  return datafile::ReadSegmentFooter(footer);
}

}  // namespace

Result<std::vector<ReadyFile>> ListReady(SinkFolder& folder, std::vector<std::string>& notes) {
  TIDEMARK_TRY(const auto datasets, EntriesOf(folder.files, folder.Sub("ready")));
  std::vector<ReadyFile> files;
  for (const Entry& dataset : datasets) {
    if (!dataset.is_folder || dataset.name == kSchemas) continue;
    std::vector<std::string> paths;
    TIDEMARK_TRY_VOID(Collect(folder, dataset.name, paths));
    for (const std::string& path : paths) {
      auto name = format::ParseSegmentFileName(path.substr(path.rfind('/') + 1));
      if (name) {
        files.push_back({dataset.name, path, *std::move(name)});
      } else {
        notes.push_back(
            fmt::format("{}: {}; left alone", folder.Sub("ready/" + path), name.error().message));
      }
    }
  }
  std::ranges::sort(files, {}, [](const ReadyFile& file) {
    return std::tuple(std::string_view(file.dataset), file.name.epoch, file.name.range.first);
  });
  return files;
}

Result<format::FinalizedRecord> DescribeReady(SinkFolder& folder, const ReadyFile& file) {
  const std::string path = folder.Sub("ready/" + file.path);
  TIDEMARK_TRY(const auto size, folder.files.SizeOf(path));
  if (!size) return Fail(ErrorCode::kNotFound, path + " is gone");
  auto facts = FactsOf(folder.files, path, *size);
  if (!facts) return Annotate(std::move(facts.error()), path);
  if (facts->footer.range != file.name.range) {
    return Fail(ErrorCode::kCorruption,
                fmt::format("{}: name and footer tell different positions", path));
  }
  format::FinalizedRecord record;
  record.epoch = file.name.epoch;
  record.dataset = file.dataset;
  record.path = file.path;
  record.range = file.name.range;
  record.rows = facts->rows;
  record.bytes = *size;
  TIDEMARK_TRY(record.sha256, DigestOf(folder.files, path, *size));
  record.schema_fp = facts->footer.schema_fp;
  record.ingest_time_min = facts->ingest_time_min;
  record.ingest_time_max = facts->ingest_time_max;
  record.event_time_min = facts->footer.event_time_min;
  record.event_time_max = facts->footer.event_time_max;
  return record;
}

Status RemoveReady(SinkFolder& folder, const std::string& path) {
  const std::string absolute = folder.Sub("ready/" + path);
  TIDEMARK_TRY_VOID(folder.files.Remove(absolute));
  return folder.files.SyncFolder(io::FolderOf(absolute));
}

Status SetAside(SinkFolder& folder, const std::string& path) {
  const std::string from = folder.Sub("ready/" + path);
  const std::string to = folder.Sub("strays/" + path);
  TIDEMARK_TRY_VOID(folder.folders.Ensure(io::FolderOf(to)));
  TIDEMARK_TRY_VOID(folder.files.Rename(from, to));
  TIDEMARK_TRY_VOID(folder.files.SyncFolder(io::FolderOf(to)));
  return folder.files.SyncFolder(io::FolderOf(from));
}

}  // namespace tidemark::edge

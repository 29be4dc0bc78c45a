#include "store/memory_store.h"

#include <fmt/format.h>

#include <algorithm>

#include "io/async.h"

namespace tidemark::store {

namespace {

std::string TagOf(int number) { return fmt::format("\"part-{}\"", number); }

}  // namespace

io::Task<Status> MemoryStore::Put(std::string key, std::string content_type, Bytes bytes) {
  const io::Yield pause{loop_};
  co_await pause;
  objects_[key] = Object{std::move(content_type), std::move(bytes)};
  co_return Status();
}

io::Task<Result<std::optional<ObjectInfo>>> MemoryStore::Head(std::string key) {
  const io::Yield pause{loop_};
  co_await pause;
  const auto found = objects_.find(key);
  if (found == objects_.end()) co_return std::optional<ObjectInfo>();
  co_return ObjectInfo{key, static_cast<std::int64_t>(found->second.bytes->size())};
}

io::Task<Result<std::optional<std::string>>> MemoryStore::Get(std::string key) {
  const io::Yield pause{loop_};
  co_await pause;
  const auto found = objects_.find(key);
  if (found == objects_.end()) co_return std::optional<std::string>();
  co_return *found->second.bytes;
}

io::Task<Result<std::string>> MemoryStore::GetRange(std::string key,
                                                    std::int64_t offset,
                                                    std::int64_t size) {
  const io::Yield pause{loop_};
  co_await pause;
  const auto found = objects_.find(key);
  if (found == objects_.end()) {
    co_return Fail(ErrorCode::kNotFound, fmt::format("get {}: no such object", key));
  }
  const std::string& bytes = *found->second.bytes;
  const auto begin = std::min(static_cast<std::size_t>(offset), bytes.size());
  co_return bytes.substr(begin, static_cast<std::size_t>(size));
}

io::Task<Result<ListPage>> MemoryStore::List(std::string prefix,
                                             std::string start_after,
                                             int max_keys) {
  const io::Yield pause{loop_};
  co_await pause;
  ListPage page;
  auto at = start_after < prefix ? objects_.lower_bound(prefix) : objects_.upper_bound(start_after);
  for (; at != objects_.end() && at->first.starts_with(prefix); ++at) {
    if (page.objects.size() == static_cast<std::size_t>(max_keys)) {
      page.truncated = true;
      break;
    }
    page.objects.emplace_back(at->first, static_cast<std::int64_t>(at->second.bytes->size()));
  }
  co_return page;
}

io::Task<Status> MemoryStore::Delete(std::string key) {
  const io::Yield pause{loop_};
  co_await pause;
  objects_.erase(key);
  co_return Status();
}

io::Task<Result<UploadId>> MemoryStore::CreateUpload(std::string key, std::string content_type) {
  const io::Yield pause{loop_};
  co_await pause;
  UploadId upload{key, fmt::format("upload-{}", ++uploads_created_)};
  uploads_[upload.id] = OpenUpload{key, std::move(content_type), {}};
  co_return upload;
}

io::Task<Result<std::string>> MemoryStore::PutPart(UploadId upload, int number, Bytes bytes) {
  const io::Yield pause{loop_};
  co_await pause;
  TIDEMARK_CO_TRY(OpenUpload * open, FindUpload(upload));
  open->parts[number] = std::move(bytes);
  co_return TagOf(number);
}

io::Task<Status> MemoryStore::CompleteUpload(UploadId upload, std::vector<std::string> part_tags) {
  const io::Yield pause{loop_};
  co_await pause;
  TIDEMARK_CO_TRY(OpenUpload * open, FindUpload(upload));
  std::string bytes;
  int number = 0;
  for (const std::string& tag : part_tags) {
    const auto part = open->parts.find(++number);
    if (part == open->parts.end() || tag != TagOf(number)) {
      co_return Fail(
          ErrorCode::kInvalidArgument,
          fmt::format("multipart_complete {}: no part {} tagged {}", upload.key, number, tag));
    }
    bytes += *part->second;
  }
  objects_[open->key] =
      Object{std::move(open->content_type), std::make_shared<const std::string>(std::move(bytes))};
  uploads_.erase(upload.id);
  co_return Status();
}

io::Task<Status> MemoryStore::AbortUpload(UploadId upload) {
  const io::Yield pause{loop_};
  co_await pause;
  uploads_.erase(upload.id);
  co_return Status();
}

io::Task<Result<std::vector<UploadId>>> MemoryStore::ListUploads(std::string prefix) {
  const io::Yield pause{loop_};
  co_await pause;
  std::vector<UploadId> open;
  for (const auto& [id, upload] : uploads_) {
    if (upload.key.starts_with(prefix)) open.push_back({upload.key, id});
  }
  co_return open;
}

Result<MemoryStore::OpenUpload*> MemoryStore::FindUpload(const UploadId& upload) {
  const auto found = uploads_.find(upload.id);
  if (found == uploads_.end()) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("{}: no upload {} in progress", upload.key, upload.id));
  }
  return &found->second;
}

}  // namespace tidemark::store

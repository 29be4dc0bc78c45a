#include "store/directory_store.h"

#include <fmt/format.h>

#include <mutex>

#include "store/directory_list.h"

namespace tidemark::store {

namespace {

constexpr std::size_t kMaxSegmentBytes = 255;
constexpr std::size_t kMaxPathBytes = 4095;

// Why a disk cannot hold `key` as a path below `root`; empty when it can.
std::string WhyNotAPath(const std::string& root, std::string_view key) {
  if (key.find('\0') != std::string_view::npos) return "it holds a NUL byte";
  if (root.size() + 1 + key.size() > kMaxPathBytes) {
    return fmt::format("its path would be over {} bytes", kMaxPathBytes);
  }
  for (std::size_t begin = 0; begin <= key.size();) {
    const std::size_t end = std::min(key.find('/', begin), key.size());
    const std::string_view segment = key.substr(begin, end - begin);
    if (segment.empty()) return "it has an empty path segment";
    if (segment == "." || segment == "..")
      return fmt::format("it has a path segment `{}`", segment);
    if (segment.size() > kMaxSegmentBytes) {
      return fmt::format(
          "a path segment has {} bytes, a file name holds {}", segment.size(), kMaxSegmentBytes);
    }
    begin = end + 1;
  }
  return {};
}

std::string TagOf(std::size_t number) { return fmt::format("part-{}", number); }

}  // namespace

struct DirectoryStore::Temporary {
  std::string path;
  std::unique_ptr<io::File> file;
};

struct DirectoryStore::OpenUpload {
  std::string key;
  Temporary temporary;
  std::mutex mutex;  // guards part_ends and the file: a worker writes, the loop has no say in which
  std::vector<std::int64_t> part_ends;
};

Result<std::unique_ptr<DirectoryStore>> DirectoryStore::Open(io::Loop& loop,
                                                             io::WorkerPool& pool,
                                                             io::FileSystem& fs,
                                                             io::Random& random,
                                                             const std::string& dir,
                                                             const std::string& bucket) {
  const std::string why_not = WhyNotAPath(dir, bucket);
  if (!why_not.empty() || bucket.contains('/') || bucket == ".tidemark-tmp") {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("bucket `{}` is not a folder name", bucket));
  }
  const std::string token = fmt::format("{:016x}", random.Next());
  std::unique_ptr<DirectoryStore> store(
      new DirectoryStore(loop, pool, fs, dir + "/" + bucket, dir + "/.tidemark-tmp", token));
  TIDEMARK_TRY_VOID(store->folders_.Ensure(store->root_));
  TIDEMARK_TRY_VOID(store->folders_.Ensure(store->temporaries_));
  TIDEMARK_TRY_VOID(store->RemoveDeadTemporaries());
  return store;
}

std::unique_ptr<DirectoryStore> DirectoryStore::OpenToRead(io::Loop& loop,
                                                           io::WorkerPool& pool,
                                                           io::FileSystem& fs,
                                                           std::string folder) {
  return std::unique_ptr<DirectoryStore>(
      new DirectoryStore(loop, pool, fs, std::move(folder), /*temporaries=*/"", /*token=*/""));
}

DirectoryStore::DirectoryStore(io::Loop& loop,
                               io::WorkerPool& pool,
                               io::FileSystem& fs,
                               std::string root,
                               std::string temporaries,
                               std::string token)
    : loop_(loop),
      pool_(pool),
      fs_(fs),
      folders_(fs),
      temporaries_(std::move(temporaries)),
      root_(std::move(root)),
      token_(std::move(token)) {}

DirectoryStore::~DirectoryStore() {
  for (const auto& [id, upload] : uploads_) {
    IgnoreError(fs_.Remove(upload->temporary.path), "the next start removes it");
  }
}

Status DirectoryStore::CheckWritable() const {
  if (!temporaries_.empty()) return {};
  return Fail(ErrorCode::kPermissionDenied, fmt::format("{} was opened to read", root_));
}

Status DirectoryStore::RemoveDeadTemporaries() {
  std::vector<std::string> paths;
  TIDEMARK_TRY_VOID(fs_.VisitFolder(temporaries_, [&](std::string_view name, bool is_folder) {
    if (!is_folder) paths.push_back(fmt::format("{}/{}", temporaries_, name));
  }));
  for (const std::string& path : paths) {
    TIDEMARK_TRY([[maybe_unused]] const bool removed, fs_.RemoveUnlocked(path));
  }
  return {};
}

Result<DirectoryStore::Temporary> DirectoryStore::CreateTemporary() {
  TIDEMARK_TRY_VOID(CheckWritable());
  Temporary temporary;
  temporary.path = fmt::format("{}/{}-{}", temporaries_, token_, ++temporaries_created_);
  auto file = fs_.CreateLocked(temporary.path);
  if (!file && file.error().code == ErrorCode::kNotFound) {  // somebody removed the folder under us
    folders_.Forget();
    TIDEMARK_TRY_VOID(folders_.Ensure(temporaries_));
    file = fs_.CreateLocked(temporary.path);
  }
  if (!file) return std::unexpected(std::move(file.error()));
  temporary.file = std::move(*file);
  return temporary;
}

Status DirectoryStore::PutNow(const std::string& key, const std::string& bytes) {
  if (const std::string why = WhyNotAPath(root_, key); !why.empty()) {
    return Fail(ErrorCode::kInvalidArgument, why);
  }
  TIDEMARK_TRY(const Temporary temporary, CreateTemporary());
  Status stored = temporary.file->WriteAt(0, bytes);
  if (stored) stored = folders_.Publish(*temporary.file, temporary.path, PathOf(key));
  if (!stored) IgnoreError(fs_.Remove(temporary.path), "the next start removes it");
  return stored;
}

Status DirectoryStore::DeleteNow(const std::string& key) {
  TIDEMARK_TRY_VOID(CheckWritable());
  if (!WhyNotAPath(root_, key).empty()) return {};
  TIDEMARK_TRY(const auto size, fs_.SizeOf(PathOf(key)));
  if (!size) return {};
  TIDEMARK_TRY_VOID(fs_.Remove(PathOf(key)));
  return fs_.SyncFolder(io::FolderOf(PathOf(key)));
}

Status DirectoryStore::AppendPart(OpenUpload& upload, int number, const std::string& bytes) {
  const std::lock_guard lock(upload.mutex);
  auto& ends = upload.part_ends;
  const auto index = static_cast<std::size_t>(number) - 1;
  if (number < 1 || index > ends.size() || index + 1 < ends.size()) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("part {} of an upload that holds {}", number, ends.size()));
  }
  ends.resize(index);
  const std::int64_t begin = ends.empty() ? 0 : ends.back();
  const std::int64_t end = begin + static_cast<std::int64_t>(bytes.size());
  TIDEMARK_TRY_VOID(upload.temporary.file->WriteAt(begin, bytes));
  TIDEMARK_TRY_VOID(upload.temporary.file->Truncate(end));
  ends.push_back(end);
  return {};
}

Status DirectoryStore::CompleteNow(OpenUpload& upload, std::size_t parts) {
  const std::lock_guard lock(upload.mutex);
  if (parts != upload.part_ends.size()) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("{} parts named of {} sent", parts, upload.part_ends.size()));
  }
  return folders_.Publish(*upload.temporary.file, upload.temporary.path, PathOf(upload.key));
}

Result<DirectoryStore::OpenUploadPtr> DirectoryStore::FindUpload(const UploadId& upload) {
  const auto found = uploads_.find(upload.id);
  if (found == uploads_.end()) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("{}: no upload {} in progress", upload.key, upload.id));
  }
  return found->second;
}

io::Task<Status> DirectoryStore::Put(std::string key, std::string, Bytes bytes) {
  auto work = [this, &key, &bytes] { return PutNow(key, *bytes); };
  Status stored = co_await io::RunOn(loop_, pool_, work);
  if (!stored) co_return Annotate(std::move(stored.error()), "put " + key);
  co_return stored;
}

io::Task<Result<std::optional<ObjectInfo>>> DirectoryStore::Head(std::string key) {
  if (!WhyNotAPath(root_, key).empty()) co_return std::optional<ObjectInfo>();
  auto work = [this, &key] { return fs_.SizeOf(PathOf(key)); };
  auto size = co_await io::RunOn(loop_, pool_, work);
  if (!size) co_return Annotate(std::move(size.error()), "head " + key);
  if (!*size) co_return std::optional<ObjectInfo>();
  co_return ObjectInfo{key, **size};
}

io::Task<Result<std::optional<std::string>>> DirectoryStore::Get(std::string key) {
  auto bytes = co_await GetRange(key, 0, INT64_MAX);
  if (bytes) co_return std::move(*bytes);
  if (bytes.error().code == ErrorCode::kNotFound) co_return std::optional<std::string>();
  co_return std::unexpected(std::move(bytes.error()));
}

io::Task<Result<std::string>> DirectoryStore::GetRange(std::string key,
                                                       std::int64_t offset,
                                                       std::int64_t size) {
  if (const std::string why = WhyNotAPath(root_, key); !why.empty()) {
    co_return Fail(ErrorCode::kNotFound, fmt::format("get {}: {}", key, why));
  }
  auto work = [this, &key, offset, size] { return fs_.Read(PathOf(key), offset, size); };
  auto bytes = co_await io::RunOn(loop_, pool_, work);
  if (!bytes) co_return Annotate(std::move(bytes.error()), "get " + key);
  co_return std::move(*bytes);
}

io::Task<Result<ListPage>> DirectoryStore::List(std::string prefix,
                                                std::string start_after,
                                                int max_keys) {
  const std::size_t slash = prefix.rfind('/');
  if (slash != std::string::npos && !WhyNotAPath(root_, prefix.substr(0, slash)).empty()) {
    co_return ListPage();
  }
  auto work = [&] { return ListFolderTree(fs_, root_, prefix, start_after, max_keys); };
  auto page = co_await io::RunOn(loop_, pool_, work);
  if (!page) co_return Annotate(std::move(page.error()), "list " + prefix);
  co_return std::move(*page);
}

io::Task<Status> DirectoryStore::Delete(std::string key) {
  auto work = [this, &key] { return DeleteNow(key); };
  Status deleted = co_await io::RunOn(loop_, pool_, work);
  if (!deleted) co_return Annotate(std::move(deleted.error()), "delete " + key);
  co_return deleted;
}

io::Task<Result<UploadId>> DirectoryStore::CreateUpload(std::string key, std::string) {
  if (const std::string why = WhyNotAPath(root_, key); !why.empty()) {
    co_return Fail(ErrorCode::kInvalidArgument, fmt::format("multipart_create {}: {}", key, why));
  }
  auto work = [this] { return CreateTemporary(); };
  auto temporary = co_await io::RunOn(loop_, pool_, work);
  if (!temporary) co_return Annotate(std::move(temporary.error()), "multipart_create " + key);
  auto open = std::make_shared<OpenUpload>();
  open->key = key;
  open->temporary = std::move(*temporary);
  UploadId upload{key, open->temporary.path};
  uploads_.emplace(upload.id, std::move(open));
  co_return upload;
}

io::Task<Result<std::string>> DirectoryStore::PutPart(UploadId upload, int number, Bytes bytes) {
  TIDEMARK_CO_TRY(const OpenUploadPtr open, FindUpload(upload));
  auto work = [this, &open, number, &bytes] { return AppendPart(*open, number, *bytes); };
  Status stored = co_await io::RunOn(loop_, pool_, work);
  if (!stored) co_return Annotate(std::move(stored.error()), "multipart_part " + upload.key);
  co_return TagOf(static_cast<std::size_t>(number));
}

io::Task<Status> DirectoryStore::CompleteUpload(UploadId upload,
                                                std::vector<std::string> part_tags) {
  TIDEMARK_CO_TRY(const OpenUploadPtr open, FindUpload(upload));
  for (std::size_t i = 0; i < part_tags.size(); ++i) {
    if (part_tags[i] == TagOf(i + 1)) continue;
    co_return Fail(
        ErrorCode::kInvalidArgument,
        fmt::format(
            "multipart_complete {}: part {} is not tagged `{}`", upload.key, i + 1, part_tags[i]));
  }
  auto work = [this, &open, &part_tags] { return CompleteNow(*open, part_tags.size()); };
  Status completed = co_await io::RunOn(loop_, pool_, work);
  if (!completed) {
    co_return Annotate(std::move(completed.error()), "multipart_complete " + upload.key);
  }
  uploads_.erase(upload.id);
  co_return completed;
}

io::Task<Status> DirectoryStore::AbortUpload(UploadId upload) {
  const auto found = uploads_.find(upload.id);
  if (found == uploads_.end()) co_return Status();
  const OpenUploadPtr open = found->second;
  uploads_.erase(found);
  auto work = [this, &open] { return fs_.Remove(open->temporary.path); };
  Status removed = co_await io::RunOn(loop_, pool_, work);
  if (!removed) co_return Annotate(std::move(removed.error()), "multipart_abort " + upload.key);
  co_return removed;
}

io::Task<Result<std::vector<UploadId>>> DirectoryStore::ListUploads(std::string prefix) {
  std::vector<UploadId> open;
  for (const auto& [id, upload] : uploads_) {
    if (upload->key.starts_with(prefix)) open.push_back({upload->key, id});
  }
  co_return open;
}

}  // namespace tidemark::store

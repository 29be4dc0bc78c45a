#include "store/checked_store.h"

#include <fmt/format.h>

#include "base/check.h"

namespace tidemark::store {

namespace {

template <typename T>
bool MayBeStored(const Result<T>& result) {
  return result.has_value() || result.error().code == ErrorCode::kOutcomeUnknown ||
         result.error().code == ErrorCode::kCorruption;
}

std::string WithoutCommittedAt(std::string_view manifest) {
  constexpr std::string_view kMember = "\"committedAt\":\"";
  const std::size_t at = manifest.rfind(kMember);
  if (at == std::string_view::npos) return std::string(manifest);
  const std::size_t begin = at + kMember.size();
  const std::size_t end = manifest.find('"', begin);
  if (end == std::string_view::npos) return std::string(manifest);
  return std::string(manifest.substr(0, begin)).append(manifest.substr(end));
}

std::size_t FirstDifference(std::string_view a, std::string_view b) {
  std::size_t i = 0;
  while (i < a.size() && i < b.size() && a[i] == b[i]) ++i;
  return i;
}

}  // namespace

KeyRule RuleOfLakeKey(std::string_view key) {
  // Escaped names hold no slash, so the last two folders of `<prefix>/_queen/<queue>/…` are enough.
  if (("/" + std::string(key)).find("/_queen/") == std::string::npos) return KeyRule::kSameBytes;
  const std::string_view folder = key.substr(0, key.rfind('/'));
  if (folder.ends_with("/windows")) return KeyRule::kSameButCommittedAt;
  if (folder.ends_with("/checkpoint") || key.ends_with("/complete.json")) return KeyRule::kMutable;
  return KeyRule::kSameBytes;
}

CheckedStore::CheckedStore(ObjectStore& inner, std::function<KeyRule(std::string_view)> rule)
    : inner_(inner), rule_(std::move(rule)) {}

CheckedStore::~CheckedStore() {
  TIDEMARK_CHECK(violations_.empty(), "{}", fmt::join(violations_, "\n"));
}

void CheckedStore::Record(const std::string& key, std::string_view bytes) {
  const KeyRule rule = rule_(key);
  if (rule == KeyRule::kMutable) return;
  std::string lasting =
      rule == KeyRule::kSameButCommittedAt ? WithoutCommittedAt(bytes) : std::string(bytes);
  const auto [at, is_new] = written_.try_emplace(key, lasting);
  if (is_new || at->second == lasting) return;
  violations_.push_back(
      fmt::format("{} was written with other bytes: {} then, {} now, first difference at {}",
                  key,
                  at->second.size(),
                  lasting.size(),
                  FirstDifference(at->second, lasting)));
}

io::Task<Status> CheckedStore::Put(std::string key, std::string content_type, Bytes bytes) {
  auto stored = co_await inner_.Put(key, std::move(content_type), bytes);
  if (MayBeStored(stored)) Record(key, *bytes);
  co_return stored;
}

io::Task<Result<std::optional<ObjectInfo>>> CheckedStore::Head(std::string key) {
  return inner_.Head(std::move(key));
}

io::Task<Result<std::optional<std::string>>> CheckedStore::Get(std::string key) {
  return inner_.Get(std::move(key));
}

io::Task<Result<std::string>> CheckedStore::GetRange(std::string key,
                                                     std::int64_t offset,
                                                     std::int64_t size) {
  return inner_.GetRange(std::move(key), offset, size);
}

io::Task<Result<ListPage>> CheckedStore::List(std::string prefix,
                                              std::string start_after,
                                              int max_keys) {
  return inner_.List(std::move(prefix), std::move(start_after), max_keys);
}

io::Task<Status> CheckedStore::Delete(std::string key) { return inner_.Delete(std::move(key)); }

io::Task<Result<UploadId>> CheckedStore::CreateUpload(std::string key, std::string content_type) {
  return inner_.CreateUpload(std::move(key), std::move(content_type));
}

io::Task<Result<std::string>> CheckedStore::PutPart(UploadId upload, int number, Bytes bytes) {
  uploads_[upload.id][number] = bytes;
  return inner_.PutPart(std::move(upload), number, std::move(bytes));
}

io::Task<Status> CheckedStore::CompleteUpload(UploadId upload, std::vector<std::string> part_tags) {
  auto completed = co_await inner_.CompleteUpload(upload, std::move(part_tags));
  if (MayBeStored(completed)) {
    std::string bytes;
    for (const auto& [number, part] : uploads_[upload.id]) bytes += *part;
    Record(upload.key, bytes);
  }
  if (completed.has_value()) uploads_.erase(upload.id);
  co_return completed;
}

io::Task<Status> CheckedStore::AbortUpload(UploadId upload) {
  uploads_.erase(upload.id);
  return inner_.AbortUpload(std::move(upload));
}

io::Task<Result<std::vector<UploadId>>> CheckedStore::ListUploads(std::string prefix) {
  return inner_.ListUploads(std::move(prefix));
}

}  // namespace tidemark::store

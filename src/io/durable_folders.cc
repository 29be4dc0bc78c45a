#include "io/durable_folders.h"

namespace tidemark::io {

namespace {

constexpr std::size_t kMostKnown = 10'000;

}  // namespace

std::string FolderOf(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == 0 || slash == std::string::npos ? "/" : path.substr(0, slash);
}

bool DurableFolders::IsKnown(const std::string& folder) {
  const std::lock_guard lock(mutex_);
  return known_.contains(folder);
}

void DurableFolders::Remember(const std::string& folder) {
  const std::lock_guard lock(mutex_);
  if (known_.size() >= kMostKnown) known_.clear();
  known_.insert(folder);
}

void DurableFolders::Forget() {
  const std::lock_guard lock(mutex_);
  known_.clear();
}

Status DurableFolders::Ensure(const std::string& folder) {
  if (folder == "/" || IsKnown(folder)) return {};
  const std::string parent = FolderOf(folder);
  TIDEMARK_TRY_VOID(Ensure(parent));
  TIDEMARK_TRY_VOID(fs_.MakeFolder(folder));
  const Status synced = fs_.SyncFolder(parent);
  // A parent we may not even open is not ours: what is in it was there before us.
  if (!synced && synced.error().code != ErrorCode::kPermissionDenied) return synced;
  Remember(folder);
  return {};
}

Status DurableFolders::Move(const std::string& from, const std::string& target) {
  const std::string folder = FolderOf(target);
  TIDEMARK_TRY_VOID(Ensure(folder));
  Status renamed = fs_.Rename(from, target);
  if (renamed || renamed.error().code != ErrorCode::kNotFound) return renamed;
  Forget();
  TIDEMARK_TRY_VOID(Ensure(folder));
  return fs_.Rename(from, target);
}

Status DurableFolders::Publish(File& file,
                               const std::string& temporary,
                               const std::string& target) {
  const std::string folder = FolderOf(target);
  TIDEMARK_TRY_VOID(file.Sync());
  TIDEMARK_TRY_VOID(Move(temporary, target));
  // The folder of the temporary is left out: if its old entry comes back, the next start removes
  // it.
  Status synced = fs_.SyncFolder(folder);
  if (!synced) synced.error().code = ErrorCode::kOutcomeUnknown;
  return synced;
}

}  // namespace tidemark::io

#pragma once
// A FileSystem in memory that can lose power, for tests: what was not synced is lost or kept, name
// by name and sector by sector, in an order of its own.

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "io/file_system.h"
#include "io/random.h"

namespace tidemark::io {

// Any thread.
class LossyFileSystem final : public FileSystem {
 public:
  LossyFileSystem();
  ~LossyFileSystem() override;

  // Each unsynced entry of a folder comes or goes, each unsynced write keeps any of its sectors
  // (what lies between them is zeros), each unsynced truncation happens or not, as `random` says.
  // Locks end. Files still open must not be used any more.
  void LosePower(Random& random);

  // The next Sync of a file fails, once. As on Linux, what it should have written shows to readers
  // from then on, counts as written for later syncs, and is lost with the power.
  void FailNextSync(bool fail = true) { fail_sync_ = fail; }

  // Bytes that all files together may hold; a write above it fails with kExhausted, half done.
  void SetCapacity(std::int64_t bytes) { capacity_ = bytes; }

  Result<std::unique_ptr<File>> CreateLocked(const std::string& path) override;
  Result<std::unique_ptr<File>> OpenLocked(const std::string& path) override;
  Status MakeFolder(const std::string& path) override;
  Status Rename(const std::string& from, const std::string& to) override;
  Status SyncFolder(const std::string& path) override;
  Status Remove(const std::string& path) override;
  Result<bool> RemoveUnlocked(const std::string& path) override;
  Result<std::string> Read(const std::string& path,
                           std::int64_t offset,
                           std::int64_t size) override;
  Result<std::unique_ptr<ReadFile>> OpenToRead(const std::string& path) override;
  Result<std::optional<std::int64_t>> SizeOf(const std::string& path) override;
  Status VisitFolder(const std::string& path, const Visit& visit) override;

 private:
  struct Node;
  class LossyFile;
  class LossyReadFile;
  using NodePtr = std::shared_ptr<Node>;  // shared: by folders, by their synced past, by open files

  NodePtr Find(const std::string& path);
  Result<NodePtr> FolderToChange(const std::string& path);
  void LoseBelow(Node& folder, Random& random);
  std::int64_t UsedBelow(const Node& folder);
  bool IsBelow(const Node& folder, const NodePtr& node) const;

  std::mutex mutex_;  // guards everything
  NodePtr root_;
  std::int64_t capacity_ = INT64_MAX;
  bool fail_sync_ = false;
  std::uint64_t last_inode_ = 0;
};

}  // namespace tidemark::io

#pragma once
// Makes folders that survive a power loss, and puts finished files into them: the durable-file rule
// of docs/architecture.md in one place.

#include <mutex>
#include <string>
#include <unordered_set>

#include "io/file_system.h"

namespace tidemark::io {

// `fs` outlives it. Any thread.
class DurableFolders {
 public:
  explicit DurableFolders(FileSystem& fs) : fs_(fs) {}

  // Creates the folder and what is missing above it, and syncs the whole chain: a folder that is
  // there may stem from somebody who has not synced it. Each is synced once in this object's life.
  Status Ensure(const std::string& folder);

  // Ensures the folder of `target` and renames `from` to it. The folders are not synced after the
  // rename. A folder that somebody removed under us is made anew.
  Status Move(const std::string& from, const std::string& target);

  // Makes `file`, written at `temporary` on the same disk, visible as `target`, replacing what was
  // there: sync the file, move it, sync the folder. kOutcomeUnknown when only the last step failed.
  Status Publish(File& file, const std::string& temporary, const std::string& target);

  // The folders may be gone: Ensure looks again.
  void Forget();

 private:
  bool IsKnown(const std::string& folder);
  void Remember(const std::string& folder);

  FileSystem& fs_;
  std::mutex mutex_;  // guards known_
  std::unordered_set<std::string> known_;
};

// "/a/b" of "/a/b/c"; "/" of "/a".
std::string FolderOf(const std::string& path);

}  // namespace tidemark::io

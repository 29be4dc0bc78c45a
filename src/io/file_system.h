#pragma once
// Files as a store or a log needs them: written once, found again after a power loss.
// PosixFileSystem is the disk; LossyFileSystem (io/lossy_file_system.h) forgets what was not
// synced.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace tidemark::io {

// A file being written. While it lives, it is locked: RemoveUnlocked of any process spares it.
// Destruction closes it without syncing. One thread at a time.
class File {
 public:
  virtual ~File() = default;

  // Writes all of `bytes`, or fails; then what the file holds is unknown from `offset` on.
  virtual Status WriteAt(std::int64_t offset, std::string_view bytes) = 0;
  virtual Status Truncate(std::int64_t size) = 0;
  // Content and size survive a power loss from here on. After a failure the file is not to be
  // trusted.
  virtual Status Sync() = 0;

  // Advice: the bytes [begin, end), which are synced, are not read soon, and need no memory of the
  // system's.
  virtual void DropCached(std::int64_t /*begin*/, std::int64_t /*end*/) {}
};

// Which file it is, whatever it is called: the same for two names of one file, and kept by a
// rename. The device number may change when the machine starts again; a number may be given to
// another file once nothing holds this one.
struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;

  auto operator<=>(const FileIdentity&) const = default;
};

// A file being read, also while somebody renames, removes or writes it. Any thread.
class ReadFile {
 public:
  virtual ~ReadFile() = default;

  virtual FileIdentity identity() const = 0;
  virtual Result<std::int64_t> Size() const = 0;
  // Some name leads to it, in whatever folder. False: it was removed, and cannot come back.
  virtual Result<bool> HasName() const = 0;
  // Bytes [offset, offset + size) or fewer at the end.
  virtual Result<std::string> Read(std::int64_t offset, std::int64_t size) const = 0;
};

// Blocking; any thread. Paths are absolute. Errors: kExhausted (disk full, quota),
// kPermissionDenied (also a read-only disk), kInvalidArgument (a name the disk cannot hold, a file
// where a folder should be or the reverse), kUnavailable (the rest). Messages name the call, the
// path and the reason.
class FileSystem {
 public:
  virtual ~FileSystem() = default;

  // kAlreadyExists when there is something of that name.
  virtual Result<std::unique_ptr<File>> CreateLocked(const std::string& path) = 0;
  // Goes on with a file that is there. kNotFound as for Read; kUnavailable when another holds its
  // lock.
  virtual Result<std::unique_ptr<File>> OpenLocked(const std::string& path) = 0;
  // Success when it was there.
  virtual Status MakeFolder(const std::string& path) = 0;
  // Replaces `to` at once, if it is there.
  virtual Status Rename(const std::string& from, const std::string& to) = 0;
  // What was created, renamed and removed in the folder survives a power loss from here on.
  virtual Status SyncFolder(const std::string& path) = 0;

  // Success when it was not there.
  virtual Status Remove(const std::string& path) = 0;
  // Removes a file whose writer is dead; false when it lives.
  virtual Result<bool> RemoveUnlocked(const std::string& path) = 0;

  // Bytes [offset, offset + size) or fewer at the end. kNotFound when there is no such file (a
  // folder is none).
  virtual Result<std::string> Read(const std::string& path,
                                   std::int64_t offset,
                                   std::int64_t size) = 0;
  // kNotFound as for Read.
  virtual Result<std::unique_ptr<ReadFile>> OpenToRead(const std::string& path) = 0;
  // nullopt when there is no such file (a folder is none).
  virtual Result<std::optional<std::int64_t>> SizeOf(const std::string& path) = 0;
  // Calls `visit` for each entry, in no order. A folder that is not there is empty.
  using Visit = std::function<void(std::string_view name, bool is_folder)>;
  virtual Status VisitFolder(const std::string& path, const Visit& visit) = 0;
};

// The operating system's files. Stateless.
class PosixFileSystem final : public FileSystem {
 public:
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
};

// The error of a system call on `path` that failed with `number` (errno), as FileSystem promises
// it.
Error FileError(std::string_view call, std::string_view path, int number);

}  // namespace tidemark::io

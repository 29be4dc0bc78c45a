#include "io/lock_file.h"

#include <fmt/format.h>

namespace tidemark::io {

Result<std::unique_ptr<File>> LockFile(FileSystem& files, const std::string& path) {
  auto lock = files.OpenLocked(path);
  if (!lock && lock.error().code == ErrorCode::kNotFound) {
    lock = files.CreateLocked(path);
    // Made by another, who starts at the same moment.
    if (!lock && lock.error().code == ErrorCode::kAlreadyExists) lock = files.OpenLocked(path);
  }
  if (!lock && lock.error().code == ErrorCode::kUnavailable) {
    return Fail(ErrorCode::kAlreadyExists,
                fmt::format("another process has the lock ({})", lock.error().message));
  }
  return lock;
}

}  // namespace tidemark::io

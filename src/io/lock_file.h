#pragma once
// A file whose lock says that a folder is in use by one process.

#include <memory>
#include <string>

#include "io/file_system.h"

namespace tidemark::io {

// Takes the lock of `path`, made if it is missing, until the result is destroyed or the process
// ends. The file stays: who has it open and who finds it by name must never be two. kAlreadyExists,
// naming `path`: another has the lock. Errors else as of FileSystem. Blocking; any thread.
Result<std::unique_ptr<File>> LockFile(FileSystem& files, const std::string& path);

}  // namespace tidemark::io

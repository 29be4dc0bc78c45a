#pragma once
// A file system that hands every call on: for those that change a few of them.

#include <memory>
#include <string>

#include "io/file_system.h"

namespace tidemark::test {

// `inner` outlives it. As many threads as `inner` allows.
class ForwardingFileSystem : public io::FileSystem {
 public:
  explicit ForwardingFileSystem(io::FileSystem& inner) : inner_(inner) {}

  Result<std::unique_ptr<io::File>> CreateLocked(const std::string& path) override {
    return inner_.CreateLocked(path);
  }

  Result<std::unique_ptr<io::File>> OpenLocked(const std::string& path) override {
    return inner_.OpenLocked(path);
  }

  Status SyncFolder(const std::string& path) override { return inner_.SyncFolder(path); }

  Status MakeFolder(const std::string& path) override { return inner_.MakeFolder(path); }

  Status Rename(const std::string& from, const std::string& to) override {
    return inner_.Rename(from, to);
  }

  Status Remove(const std::string& path) override { return inner_.Remove(path); }

  Result<bool> RemoveUnlocked(const std::string& path) override {
    return inner_.RemoveUnlocked(path);
  }

  Result<std::string> Read(const std::string& path,
                           std::int64_t offset,
                           std::int64_t size) override {
    return inner_.Read(path, offset, size);
  }

  Result<std::unique_ptr<io::ReadFile>> OpenToRead(const std::string& path) override {
    return inner_.OpenToRead(path);
  }

  Result<std::optional<std::int64_t>> SizeOf(const std::string& path) override {
    return inner_.SizeOf(path);
  }

  Status VisitFolder(const std::string& path, const Visit& visit) override {
    return inner_.VisitFolder(path, visit);
  }

 protected:
  io::FileSystem& inner_;
};

}  // namespace tidemark::test

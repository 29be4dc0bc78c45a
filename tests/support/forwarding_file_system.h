#pragma once
// A file system, and files, that hand every call on: for those that change a few of them.

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "io/file_system.h"

namespace tidemark::test {

class ForwardingFile : public io::File {
 public:
  explicit ForwardingFile(std::unique_ptr<io::File> inner) : inner_(std::move(inner)) {}

  Status WriteAt(std::int64_t offset, std::string_view bytes) override {
    return inner_->WriteAt(offset, bytes);
  }

  Status Truncate(std::int64_t size) override { return inner_->Truncate(size); }

  Status Sync() override { return inner_->Sync(); }

  void DropCached(std::int64_t begin, std::int64_t end) override { inner_->DropCached(begin, end); }

 protected:
  std::unique_ptr<io::File> inner_;
};

class ForwardingReadFile : public io::ReadFile {
 public:
  explicit ForwardingReadFile(std::unique_ptr<io::ReadFile> inner) : inner_(std::move(inner)) {}

  io::FileIdentity identity() const override { return inner_->identity(); }

  Result<std::int64_t> Size() const override { return inner_->Size(); }

  Result<bool> HasName() const override { return inner_->HasName(); }

  Result<std::string> Read(std::int64_t offset, std::int64_t size) const override {
    return inner_->Read(offset, size);
  }

 protected:
  std::unique_ptr<io::ReadFile> inner_;
};

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

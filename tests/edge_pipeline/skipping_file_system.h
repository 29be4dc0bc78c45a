#pragma once
// A planted bug: a program that leaves out one kind of sync.

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "io/file_system.h"

namespace tidemark::test {

// `inner` outlives it. One thread.
class SkippingFileSystem final : public io::FileSystem {
 public:
  // Which syncs do nothing, by the path that the folder has, or that the file had when it was
  // created.
  struct Skips {
    std::function<bool(const std::string& path)> file = [](const std::string&) { return false; };
    std::function<bool(const std::string& path)> folder = [](const std::string&) { return false; };
  };

  SkippingFileSystem(io::FileSystem& inner, Skips skips)
      : inner_(inner), skips_(std::move(skips)) {}

  Result<std::unique_ptr<io::File>> CreateLocked(const std::string& path) override {
    auto file = inner_.CreateLocked(path);
    if (!file || !skips_.file(path)) return file;
    return std::make_unique<UnsyncedFile>(std::move(*file));
  }

  Status SyncFolder(const std::string& path) override {
    return skips_.folder(path) ? Status() : inner_.SyncFolder(path);
  }

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

 private:
  class UnsyncedFile final : public io::File {
   public:
    explicit UnsyncedFile(std::unique_ptr<io::File> inner) : inner_(std::move(inner)) {}

    Status WriteAt(std::int64_t offset, std::string_view bytes) override {
      return inner_->WriteAt(offset, bytes);
    }

    Status Truncate(std::int64_t size) override { return inner_->Truncate(size); }

    Status Sync() override { return {}; }

   private:
    std::unique_ptr<io::File> inner_;
  };

  io::FileSystem& inner_;
  Skips skips_;
};

}  // namespace tidemark::test

#pragma once
// A planted bug: a program that leaves out one kind of sync.

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "tests/support/forwarding_file_system.h"

namespace tidemark::test {

// `inner` outlives it. One thread.
class SkippingFileSystem final : public ForwardingFileSystem {
 public:
  // Which syncs do nothing, by the path that the folder has, or that the file had when it was
  // created or opened.
  struct Skips {
    std::function<bool(const std::string& path)> file = [](const std::string&) { return false; };
    std::function<bool(const std::string& path)> folder = [](const std::string&) { return false; };
  };

  SkippingFileSystem(io::FileSystem& inner, Skips skips)
      : ForwardingFileSystem(inner), skips_(std::move(skips)) {}

  Result<std::unique_ptr<io::File>> CreateLocked(const std::string& path) override {
    return WithSkips(path, inner_.CreateLocked(path));
  }

  Result<std::unique_ptr<io::File>> OpenLocked(const std::string& path) override {
    return WithSkips(path, inner_.OpenLocked(path));
  }

  Status SyncFolder(const std::string& path) override {
    return skips_.folder(path) ? Status() : inner_.SyncFolder(path);
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

  Result<std::unique_ptr<io::File>> WithSkips(const std::string& path,
                                              Result<std::unique_ptr<io::File>> file) const {
    if (!file || !skips_.file(path)) return file;
    return std::make_unique<UnsyncedFile>(std::move(*file));
  }

  Skips skips_;
};

}  // namespace tidemark::test

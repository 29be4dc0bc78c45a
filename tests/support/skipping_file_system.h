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
  class UnsyncedFile final : public ForwardingFile {
   public:
    using ForwardingFile::ForwardingFile;

    Status Sync() override { return {}; }
  };

  Result<std::unique_ptr<io::File>> WithSkips(const std::string& path,
                                              Result<std::unique_ptr<io::File>> file) const {
    if (!file || !skips_.file(path)) return file;
    return std::make_unique<UnsyncedFile>(std::move(*file));
  }

  Skips skips_;
};

}  // namespace tidemark::test

#pragma once
// A disk under a process that dies: from some change on nothing reaches it any more.

#include <memory>
#include <string>
#include <utility>

#include "tests/support/forwarding_file_system.h"

namespace tidemark::test {

// `inner` outlives it. One thread at a time.
class CuttableFileSystem final : public ForwardingFileSystem {
 public:
  explicit CuttableFileSystem(io::FileSystem& inner) : ForwardingFileSystem(inner) {}

  // The change after so many is the last that is asked for; negative: never. When `acts` it still
  // happens, only its answer does not come.
  void CutAfter(int changes, bool acts) {
    changes_left_ = changes;
    acts_ = acts;
  }

  bool dead() const { return dead_; }

  Result<std::unique_ptr<io::File>> CreateLocked(const std::string& path) override {
    const Fate fate = Next();
    if (fate == Fate::kLost) return Dead();
    TIDEMARK_TRY(auto file, inner_.CreateLocked(path));
    if (fate == Fate::kActsUnheard) return Dead();
    return std::make_unique<CuttableFile>(*this, std::move(file));
  }

  // Changes nothing by itself.
  Result<std::unique_ptr<io::File>> OpenLocked(const std::string& path) override {
    if (dead_) return Dead();
    TIDEMARK_TRY(auto file, inner_.OpenLocked(path));
    return std::make_unique<CuttableFile>(*this, std::move(file));
  }

  Status MakeFolder(const std::string& path) override {
    return Change([&] { return inner_.MakeFolder(path); });
  }

  Status Rename(const std::string& from, const std::string& to) override {
    return Change([&] { return inner_.Rename(from, to); });
  }

  Status SyncFolder(const std::string& path) override {
    return Change([&] { return inner_.SyncFolder(path); });
  }

  Status Remove(const std::string& path) override {
    return Change([&] { return inner_.Remove(path); });
  }

  Result<bool> RemoveUnlocked(const std::string& path) override {
    return Change([&] { return inner_.RemoveUnlocked(path); });
  }

 private:
  enum class Fate { kWorks, kActsUnheard, kLost };

  class CuttableFile final : public ForwardingFile {
   public:
    CuttableFile(CuttableFileSystem& fs, std::unique_ptr<io::File> inner)
        : ForwardingFile(std::move(inner)), fs_(fs) {}

    Status WriteAt(std::int64_t offset, std::string_view bytes) override {
      return fs_.Change([&] { return inner_->WriteAt(offset, bytes); });
    }

    Status Truncate(std::int64_t size) override {
      return fs_.Change([&] { return inner_->Truncate(size); });
    }

    Status Sync() override {
      return fs_.Change([&] { return inner_->Sync(); });
    }

   private:
    CuttableFileSystem& fs_;
  };

  static std::unexpected<Error> Dead() {
    return Fail(ErrorCode::kCancelled, "the process is dead");
  }

  Fate Next() {
    if (dead_) return Fate::kLost;
    if (changes_left_ == 0) {
      dead_ = true;
      return acts_ ? Fate::kActsUnheard : Fate::kLost;
    }
    if (changes_left_ > 0) --changes_left_;
    return Fate::kWorks;
  }

  template <typename Call>
  auto Change(Call call) -> decltype(call()) {
    const Fate fate = Next();
    if (fate == Fate::kLost) return Dead();
    auto result = call();
    if (fate == Fate::kActsUnheard) return Dead();
    return result;
  }

  int changes_left_ = -1;
  bool acts_ = false;
  bool dead_ = false;
};

}  // namespace tidemark::test

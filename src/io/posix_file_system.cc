#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "io/file_system.h"

namespace tidemark::io {

namespace {

constexpr int kCreateAttempts = 100;
constexpr std::int64_t kPageBytes = 4096;

// An open descriptor; -1: none.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}

  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

  Descriptor& operator=(Descriptor&&) = delete;

  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }

  int get() const { return fd_; }

  bool valid() const { return fd_ >= 0; }

 private:
  int fd_;
};

std::unexpected<Error> FailWith(std::string_view call, std::string_view path) {
  return std::unexpected(FileError(call, path, errno));
}

template <typename Call>
auto Uninterrupted(Call call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

// What a reader sees as "no such file": a name that cannot be, and a file on the way, are that too.
bool MeansAbsent(int number) {
  return number == ENOENT || number == ENOTDIR || number == ENAMETOOLONG;
}

class PosixFile final : public File {
 public:
  PosixFile(Descriptor fd, std::string path) : fd_(std::move(fd)), path_(std::move(path)) {}

  Status WriteAt(std::int64_t offset, std::string_view bytes) override {
    while (!bytes.empty()) {
      const ssize_t n =
          Uninterrupted([&] { return pwrite(fd_.get(), bytes.data(), bytes.size(), offset); });
      if (n < 0) return FailWith("write", path_);
      bytes.remove_prefix(static_cast<std::size_t>(n));
      offset += n;
    }
    return {};
  }

  Status Truncate(std::int64_t size) override {
    if (Uninterrupted([&] { return ftruncate(fd_.get(), size); }) != 0) {
      return FailWith("truncate", path_);
    }
    return {};
  }

  // Leaves out the times of the file, which nobody here reads: one write less a sync.
  Status Sync() override {
    if (Uninterrupted([&] { return fdatasync(fd_.get()); }) != 0) {
      return FailWith("fdatasync", path_);
    }
    return {};
  }

  // Whole pages go: the first is one more when what stands before the bytes went earlier.
  void DropCached(std::int64_t begin, std::int64_t end) override {
    begin -= begin % kPageBytes;
    posix_fadvise(fd_.get(), begin, end - begin, POSIX_FADV_DONTNEED);
  }

 private:
  Descriptor fd_;
  std::string path_;
};

Result<struct stat> StatOf(int fd, std::string_view path) {
  struct stat info{};
  if (fstat(fd, &info) != 0) return FailWith("stat", path);
  return info;
}

Result<struct stat> StatOfRegular(int fd, std::string_view path) {
  TIDEMARK_TRY(const auto info, StatOf(fd, path));
  if (!S_ISREG(info.st_mode)) return std::unexpected(FileError("read", path, ENOENT));
  return info;
}

// Some parsers want readable bytes behind what they read: the caller can add them without a copy.
constexpr std::size_t kPaddingBytes = 64;

Result<std::string> ReadRegular(int fd,
                                const std::string& path,
                                std::int64_t offset,
                                std::int64_t size) {
  TIDEMARK_TRY(const auto info, StatOfRegular(fd, path));
  const auto left = std::max<std::int64_t>(info.st_size - offset, 0);
  const auto wanted = static_cast<std::size_t>(std::min(left, size));
  std::string bytes;
  bytes.reserve(wanted + kPaddingBytes);
  bool failed = false;
  bytes.resize_and_overwrite(wanted, [&](char* data, std::size_t) {
    std::size_t done = 0;
    while (done < wanted) {
      const auto at = offset + static_cast<std::int64_t>(done);
      const ssize_t n = Uninterrupted([&] { return pread(fd, data + done, wanted - done, at); });
      failed = n < 0;
      if (n <= 0) break;
      done += static_cast<std::size_t>(n);
    }
    return done;
  });
  if (failed) return FailWith("read", path);
  return bytes;
}

class PosixReadFile final : public ReadFile {
 public:
  PosixReadFile(Descriptor fd, std::string path, FileIdentity identity)
      : fd_(std::move(fd)), path_(std::move(path)), identity_(identity) {}

  FileIdentity identity() const override { return identity_; }

  Result<std::int64_t> Size() const override {
    TIDEMARK_TRY(const auto info, StatOf(fd_.get(), path_));
    return info.st_size;
  }

  Result<bool> HasName() const override {
    TIDEMARK_TRY(const auto info, StatOf(fd_.get(), path_));
    return info.st_nlink > 0;
  }

  Result<std::string> Read(std::int64_t offset, std::int64_t size) const override {
    return ReadRegular(fd_.get(), path_, offset, size);
  }

 private:
  Descriptor fd_;
  std::string path_;
  FileIdentity identity_;
};

}  // namespace

Error FileError(std::string_view call, std::string_view path, int number) {
  Error error;
  error.message = fmt::format("{} {}: {}", call, path, strerror(number));
  switch (number) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      error.code = ErrorCode::kExhausted;
      break;
    case EACCES:
    case EPERM:
    case EROFS:
      error.code = ErrorCode::kPermissionDenied;
      break;
    case ENOENT:
      error.code = ErrorCode::kNotFound;
      break;
    case EEXIST:
      error.code = ErrorCode::kAlreadyExists;
      break;
    case ENAMETOOLONG:
    case ENOTDIR:
    case EISDIR:
    case EINVAL:
    case ELOOP:
      error.code = ErrorCode::kInvalidArgument;
      break;
    default:
      error.code = ErrorCode::kUnavailable;
  }
  return error;
}

Result<std::unique_ptr<File>> PosixFileSystem::CreateLocked(const std::string& path) {
  for (int attempt = 0; attempt < kCreateAttempts; ++attempt) {
    Descriptor fd(open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
    if (!fd.valid()) return FailWith("create", path);
    if (Uninterrupted([&] { return flock(fd.get(), LOCK_EX); }) != 0) return FailWith("lock", path);
    // Between the two calls a starting process may have taken the file for a dead one's.
    TIDEMARK_TRY(const auto info, StatOf(fd.get(), path));
    if (info.st_nlink > 0) return std::make_unique<PosixFile>(std::move(fd), path);
  }
  return Fail(ErrorCode::kUnavailable, fmt::format("create {}: removed again and again", path));
}

Result<std::unique_ptr<File>> PosixFileSystem::OpenLocked(const std::string& path) {
  Descriptor fd(open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC));
  if (!fd.valid()) {
    const bool absent = MeansAbsent(errno) || errno == EISDIR;
    return std::unexpected(FileError("open", path, absent ? ENOENT : errno));
  }
  TIDEMARK_TRY_VOID(StatOfRegular(fd.get(), path));
  if (Uninterrupted([&] { return flock(fd.get(), LOCK_EX | LOCK_NB); }) != 0) {
    return FailWith("lock", path);
  }
  return std::make_unique<PosixFile>(std::move(fd), path);
}

Status PosixFileSystem::MakeFolder(const std::string& path) {
  if (mkdir(path.c_str(), 0755) == 0) return {};
  if (errno != EEXIST) return FailWith("mkdir", path);
  struct stat info{};
  if (stat(path.c_str(), &info) != 0) return FailWith("stat", path);
  if (!S_ISDIR(info.st_mode)) return std::unexpected(FileError("mkdir", path, ENOTDIR));
  return {};
}

Status PosixFileSystem::Rename(const std::string& from, const std::string& to) {
  if (rename(from.c_str(), to.c_str()) != 0) return FailWith("rename to", to);
  return {};
}

Status PosixFileSystem::SyncFolder(const std::string& path) {
  const Descriptor fd(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.valid()) return FailWith("open folder", path);
  if (Uninterrupted([&] { return fsync(fd.get()); }) != 0) return FailWith("fsync", path);
  return {};
}

Status PosixFileSystem::Remove(const std::string& path) {
  if (unlink(path.c_str()) != 0 && !MeansAbsent(errno)) return FailWith("remove", path);
  return {};
}

Result<bool> PosixFileSystem::RemoveUnlocked(const std::string& path) {
  const Descriptor fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) {
    if (MeansAbsent(errno)) return true;
    return FailWith("open", path);
  }
  if (flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) return false;
    return FailWith("lock", path);
  }
  TIDEMARK_TRY_VOID(Remove(path));
  return true;
}

Result<std::string> PosixFileSystem::Read(const std::string& path,
                                          std::int64_t offset,
                                          std::int64_t size) {
  const Descriptor fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (fd.valid()) return ReadRegular(fd.get(), path, offset, size);
  return std::unexpected(FileError("read", path, MeansAbsent(errno) ? ENOENT : errno));
}

Result<std::unique_ptr<ReadFile>> PosixFileSystem::OpenToRead(const std::string& path) {
  // O_NONBLOCK: a pipe of that name must not hold us up; it is refused below.
  Descriptor fd(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (!fd.valid()) {
    return std::unexpected(FileError("open", path, MeansAbsent(errno) ? ENOENT : errno));
  }
  TIDEMARK_TRY(const auto info, StatOfRegular(fd.get(), path));
  const FileIdentity identity{.device = info.st_dev, .inode = info.st_ino};
  return std::make_unique<PosixReadFile>(std::move(fd), path, identity);
}

Result<std::optional<std::int64_t>> PosixFileSystem::SizeOf(const std::string& path) {
  struct stat info{};
  if (stat(path.c_str(), &info) != 0) {
    if (MeansAbsent(errno)) return std::nullopt;
    return FailWith("stat", path);
  }
  if (!S_ISREG(info.st_mode)) return std::nullopt;
  return info.st_size;
}

Status PosixFileSystem::VisitFolder(const std::string& path, const Visit& visit) {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir(path.c_str()), closedir);
  if (!folder) {
    if (MeansAbsent(errno)) return {};
    return FailWith("open folder", path);
  }
  errno = 0;
  while (const dirent* entry = readdir(folder.get())) {
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    bool is_folder = entry->d_type == DT_DIR;
    if (entry->d_type == DT_UNKNOWN || entry->d_type == DT_LNK) {
      struct stat info{};
      is_folder =
          fstatat(dirfd(folder.get()), entry->d_name, &info, 0) == 0 && S_ISDIR(info.st_mode);
    }
    visit(name, is_folder);
    errno = 0;
  }
  if (errno != 0) return FailWith("read folder", path);
  return {};
}

}  // namespace tidemark::io

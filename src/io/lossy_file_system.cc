#include "io/lossy_file_system.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "io/durable_folders.h"

namespace tidemark::io {

namespace {

// What a disk writes as a whole.
constexpr std::size_t kSectorBytes = 512;

// A write, or a truncation to `offset`.
struct Change {
  bool is_truncation = false;
  std::size_t offset = 0;
  std::string bytes;
};

void WriteInto(std::string& file, std::size_t offset, std::string_view bytes) {
  if (bytes.empty()) return;
  if (file.size() < offset + bytes.size()) file.resize(offset + bytes.size());
  file.replace(offset, bytes.size(), bytes);
}

// Some of the sectors that the write touches.
void WriteSomeOf(const Change& change, std::string& file, Random& random) {
  const std::size_t end = change.offset + change.bytes.size();
  for (std::size_t at = change.offset; at < end;) {
    const std::size_t next = std::min((at / kSectorBytes + 1) * kSectorBytes, end);
    if (random.Next() % 2 == 0) {
      const std::string_view sector(change.bytes.data() + (at - change.offset), next - at);
      WriteInto(file, at, sector);
    }
    at = next;
  }
}

}  // namespace

struct LossyFileSystem::Node {
  bool is_folder = false;
  bool locked = false;
  std::uint64_t inode = 0;
  std::string bytes;         // what readers see
  std::string synced_bytes;  // what is on the disk
  std::vector<Change> unsynced;
  std::map<std::string, NodePtr> entries;
  std::map<std::string, NodePtr> synced_entries;
};

namespace {

std::string NameOf(const std::string& path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

class LossyFileSystem::LossyFile final : public File {
 public:
  LossyFile(LossyFileSystem& fs, NodePtr node, std::string path)
      : fs_(fs), node_(std::move(node)), path_(std::move(path)) {}

  ~LossyFile() override {
    const std::lock_guard lock(fs_.mutex_);
    node_->locked = false;
  }

  Status WriteAt(std::int64_t offset, std::string_view bytes) override {
    const std::lock_guard lock(fs_.mutex_);
    const auto begin = static_cast<std::size_t>(offset);
    const auto free = fs_.capacity_ - fs_.UsedBelow(*fs_.root_);
    const bool fits = static_cast<std::int64_t>(bytes.size()) <= free;
    if (!fits) bytes = bytes.substr(0, static_cast<std::size_t>(std::max<std::int64_t>(free, 0)));
    WriteInto(node_->bytes, begin, bytes);
    node_->unsynced.push_back({.offset = begin, .bytes = std::string(bytes)});
    if (!fits) return std::unexpected(FileError("write", path_, ENOSPC));
    return {};
  }

  Status Truncate(std::int64_t size) override {
    const std::lock_guard lock(fs_.mutex_);
    const auto end = static_cast<std::size_t>(size);
    node_->bytes.resize(end);
    node_->unsynced.push_back({.is_truncation = true, .offset = end, .bytes = {}});
    return {};
  }

  Status Sync() override {
    const std::lock_guard lock(fs_.mutex_);
    if (std::exchange(fs_.fail_sync_, false)) {
      node_->unsynced.clear();
      return std::unexpected(FileError("fdatasync", path_, EIO));
    }
    for (const Change& change : std::exchange(node_->unsynced, {})) {
      if (change.is_truncation) {
        node_->synced_bytes.resize(change.offset);
      } else {
        WriteInto(node_->synced_bytes, change.offset, change.bytes);
      }
    }
    return {};
  }

 private:
  LossyFileSystem& fs_;
  NodePtr node_;
  std::string path_;
};

class LossyFileSystem::LossyReadFile final : public ReadFile {
 public:
  LossyReadFile(LossyFileSystem& fs, NodePtr node) : fs_(fs), node_(std::move(node)) {}

  FileIdentity identity() const override { return {.device = 1, .inode = node_->inode}; }

  Result<std::int64_t> Size() const override {
    const std::lock_guard lock(fs_.mutex_);
    return static_cast<std::int64_t>(node_->bytes.size());
  }

  Result<bool> HasName() const override {
    const std::lock_guard lock(fs_.mutex_);
    return fs_.IsBelow(*fs_.root_, node_);
  }

  Result<std::string> Read(std::int64_t offset, std::int64_t size) const override {
    const std::lock_guard lock(fs_.mutex_);
    const std::size_t begin = std::min(static_cast<std::size_t>(offset), node_->bytes.size());
    return node_->bytes.substr(begin, static_cast<std::size_t>(size));
  }

 private:
  LossyFileSystem& fs_;
  NodePtr node_;
};

LossyFileSystem::LossyFileSystem() : root_(std::make_shared<Node>()) { root_->is_folder = true; }

LossyFileSystem::~LossyFileSystem() = default;

LossyFileSystem::NodePtr LossyFileSystem::Find(const std::string& path) {
  NodePtr at = root_;
  for (std::size_t begin = 1; begin < path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const auto found = at->entries.find(path.substr(begin, end - begin));
    if (found == at->entries.end()) return nullptr;
    at = found->second;
    begin = end + 1;
  }
  return at;
}

Result<LossyFileSystem::NodePtr> LossyFileSystem::FolderToChange(const std::string& path) {
  NodePtr folder = Find(FolderOf(path));
  if (!folder) return std::unexpected(FileError("open folder of", path, ENOENT));
  if (!folder->is_folder) return std::unexpected(FileError("open folder of", path, ENOTDIR));
  return folder;
}

void LossyFileSystem::LosePower(Random& random) {
  const std::lock_guard lock(mutex_);
  LoseBelow(*root_, random);
}

void LossyFileSystem::LoseBelow(Node& folder, Random& random) {
  std::map<std::string, NodePtr> left;
  const auto keep_if_lucky = [&](const auto& from, const auto& other) {
    for (const auto& [name, node] : from) {
      const auto twin = other.find(name);
      const bool certain = twin != other.end() && twin->second == node;
      if (certain || random.Next() % 2 == 0) left.try_emplace(name, node);
    }
  };
  keep_if_lucky(folder.entries, folder.synced_entries);
  keep_if_lucky(folder.synced_entries, folder.entries);
  // A replaced name is the old file or the new one, never gone.
  for (const auto& [name, node] : folder.synced_entries) {
    if (folder.entries.contains(name)) left.try_emplace(name, node);
  }
  folder.entries = folder.synced_entries = left;
  for (const auto& [name, node] : left) {
    node->locked = false;
    if (node->is_folder) {
      LoseBelow(*node, random);
    } else {
      for (const Change& change : std::exchange(node->unsynced, {})) {
        if (!change.is_truncation) {
          WriteSomeOf(change, node->synced_bytes, random);
        } else if (random.Next() % 2 == 0) {
          node->synced_bytes.resize(change.offset);
        }
      }
      node->bytes = node->synced_bytes;
    }
  }
}

std::int64_t LossyFileSystem::UsedBelow(const Node& folder) {
  std::int64_t used = 0;
  for (const auto& [name, node] : folder.entries) {
    used += node->is_folder ? UsedBelow(*node) : static_cast<std::int64_t>(node->bytes.size());
  }
  return used;
}

bool LossyFileSystem::IsBelow(const Node& folder, const NodePtr& node) const {
  return std::ranges::any_of(folder.entries, [&](const auto& entry) {
    return entry.second == node || (entry.second->is_folder && IsBelow(*entry.second, node));
  });
}

Result<std::unique_ptr<File>> LossyFileSystem::CreateLocked(const std::string& path) {
  const std::lock_guard lock(mutex_);
  TIDEMARK_TRY(const NodePtr folder, FolderToChange(path));
  const auto node = std::make_shared<Node>();
  node->locked = true;
  node->inode = ++last_inode_;
  if (!folder->entries.try_emplace(NameOf(path), node).second) {
    return std::unexpected(FileError("create", path, EEXIST));
  }
  return std::make_unique<LossyFile>(*this, node, path);
}

Result<std::unique_ptr<File>> LossyFileSystem::OpenLocked(const std::string& path) {
  const std::lock_guard lock(mutex_);
  const NodePtr node = Find(path);
  if (!node || node->is_folder) return std::unexpected(FileError("open", path, ENOENT));
  if (std::exchange(node->locked, true)) {
    return std::unexpected(FileError("lock", path, EWOULDBLOCK));
  }
  return std::make_unique<LossyFile>(*this, node, path);
}

Status LossyFileSystem::MakeFolder(const std::string& path) {
  const std::lock_guard lock(mutex_);
  TIDEMARK_TRY(const NodePtr folder, FolderToChange(path));
  const auto node = std::make_shared<Node>();
  node->is_folder = true;
  const auto [at, is_new] = folder->entries.try_emplace(NameOf(path), node);
  if (!at->second->is_folder) return std::unexpected(FileError("mkdir", path, ENOTDIR));
  return {};
}

Status LossyFileSystem::Rename(const std::string& from, const std::string& to) {
  const std::lock_guard lock(mutex_);
  const NodePtr node = Find(from);
  if (!node) return std::unexpected(FileError("rename to", to, ENOENT));
  TIDEMARK_TRY(const NodePtr folder, FolderToChange(to));
  NodePtr& slot = folder->entries[NameOf(to)];
  if (slot && slot->is_folder) return std::unexpected(FileError("rename to", to, EISDIR));
  slot = node;
  Find(FolderOf(from))->entries.erase(NameOf(from));
  return {};
}

Status LossyFileSystem::SyncFolder(const std::string& path) {
  const std::lock_guard lock(mutex_);
  const NodePtr folder = Find(path);
  if (!folder) return std::unexpected(FileError("open folder", path, ENOENT));
  folder->synced_entries = folder->entries;
  return {};
}

Status LossyFileSystem::Remove(const std::string& path) {
  const std::lock_guard lock(mutex_);
  const NodePtr node = Find(path);
  if (!node) return {};
  if (node->is_folder) return std::unexpected(FileError("remove", path, EISDIR));
  Find(FolderOf(path))->entries.erase(NameOf(path));
  return {};
}

Result<bool> LossyFileSystem::RemoveUnlocked(const std::string& path) {
  {
    const std::lock_guard lock(mutex_);
    const NodePtr node = Find(path);
    if (node && node->locked) return false;
  }
  TIDEMARK_TRY_VOID(Remove(path));
  return true;
}

Result<std::string> LossyFileSystem::Read(const std::string& path,
                                          std::int64_t offset,
                                          std::int64_t size) {
  TIDEMARK_TRY(const auto file, OpenToRead(path));
  return file->Read(offset, size);
}

Result<std::unique_ptr<ReadFile>> LossyFileSystem::OpenToRead(const std::string& path) {
  const std::lock_guard lock(mutex_);
  const NodePtr node = Find(path);
  if (!node || node->is_folder) return std::unexpected(FileError("open", path, ENOENT));
  return std::make_unique<LossyReadFile>(*this, node);
}

Result<std::optional<std::int64_t>> LossyFileSystem::SizeOf(const std::string& path) {
  const std::lock_guard lock(mutex_);
  const NodePtr node = Find(path);
  if (!node || node->is_folder) return std::nullopt;
  return static_cast<std::int64_t>(node->bytes.size());
}

Status LossyFileSystem::VisitFolder(const std::string& path, const Visit& visit) {
  std::map<std::string, NodePtr> entries;
  {
    const std::lock_guard lock(mutex_);
    if (const NodePtr folder = Find(path)) entries = folder->entries;
  }
  for (const auto& [name, node] : entries) visit(name, node->is_folder);
  return {};
}

}  // namespace tidemark::io

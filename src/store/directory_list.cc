#include "store/directory_list.h"

#include <set>

namespace tidemark::store {

namespace {

// True when every key that begins with `folder_key` is at or below `start_after`.
bool IsPassed(const std::string& folder_key, const std::string& start_after) {
  return folder_key < start_after && !start_after.starts_with(folder_key);
}

class TreeLister {
 public:
  TreeLister(io::FileSystem& fs,
             const std::string& root,
             const std::string& prefix,
             const std::string& start_after,
             int max_keys)
      : fs_(fs),
        root_(root),
        prefix_(prefix),
        start_after_(start_after),
        wanted_(static_cast<std::size_t>(max_keys) + 1) {}

  Result<ListPage> Run() {
    const std::size_t slash = prefix_.rfind('/');
    TIDEMARK_TRY_VOID(Walk(slash == std::string::npos ? "" : prefix_.substr(0, slash + 1)));
    if (page_.objects.size() == wanted_) {
      page_.objects.pop_back();
      page_.truncated = true;
    }
    return std::move(page_);
  }

 private:
  // Folders carry their slash in the name: `a-` sorts before what is in `a/`, `a0` behind it.
  using Names = std::set<std::string>;

  // `folder_key` is empty or ends with a slash.
  Status Walk(const std::string& folder_key) {
    std::string last;
    while (page_.objects.size() < wanted_) {
      TIDEMARK_TRY(const Names batch, NextNames(folder_key, last));
      if (batch.empty()) return {};
      for (const std::string& name : batch) TIDEMARK_TRY_VOID(Take(folder_key + name));
      last = *batch.rbegin();
    }
    return {};
  }

  Status Take(const std::string& key) {
    if (page_.objects.size() == wanted_) return {};
    if (key.ends_with('/')) return Walk(key);
    TIDEMARK_TRY(const auto bytes, fs_.SizeOf(root_ + "/" + key));
    if (bytes) page_.objects.emplace_back(key, *bytes);  // else: removed since it was seen
    return {};
  }

  bool Wants(const std::string& key) const {
    if (!key.starts_with(prefix_)) return false;
    return key.ends_with('/') ? !IsPassed(key, start_after_) : key > start_after_;
  }

  // The first names above `last` that may hold wanted keys.
  Result<Names> NextNames(const std::string& folder_key, const std::string& last) {
    Names names;
    const auto consider = [&](std::string_view entry, bool is_folder) {
      std::string name(entry);
      if (is_folder) name += '/';
      if (name <= last || !Wants(folder_key + name)) return;
      names.insert(std::move(name));
      if (names.size() > wanted_) names.erase(std::prev(names.end()));
    };
    TIDEMARK_TRY_VOID(fs_.VisitFolder(root_ + "/" + folder_key, consider));
    return names;
  }

  io::FileSystem& fs_;
  const std::string& root_;
  const std::string& prefix_;
  const std::string& start_after_;
  const std::size_t wanted_;
  ListPage page_;
};

}  // namespace

Result<ListPage> ListFolderTree(io::FileSystem& fs,
                                const std::string& folder,
                                const std::string& prefix,
                                const std::string& start_after,
                                int max_keys) {
  return TreeLister(fs, folder, prefix, start_after, max_keys).Run();
}

}  // namespace tidemark::store

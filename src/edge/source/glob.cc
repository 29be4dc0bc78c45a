#include "edge/source/glob.h"

#include <fnmatch.h>

#include <algorithm>

namespace tidemark::edge {

namespace {

std::vector<std::string> PartsOf(const std::string& path) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at < path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    if (end > at) parts.push_back(path.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

// The entries of `folder` that match `part`; folders only, when `parts` go on behind it.
Result<std::vector<std::string>> Matches(io::FileSystem& files,
                                         const std::string& folder,
                                         const std::string& part,
                                         bool is_last) {
  std::vector<std::string> found;
  const auto visit = [&](std::string_view entry, bool is_folder) {
    const std::string name(entry);
    if (is_folder == is_last) return;
    if (fnmatch(part.c_str(), name.c_str(), FNM_PERIOD) == 0) found.push_back(folder + "/" + name);
  };
  TIDEMARK_TRY_VOID(files.VisitFolder(folder.empty() ? "/" : folder, visit));
  return found;
}

}  // namespace

bool IsGlob(const std::string& pattern) {
  return pattern.find_first_of("*?[") != std::string::npos;
}

Result<std::vector<std::string>> ExpandGlob(io::FileSystem& files, const std::string& pattern) {
  std::vector<std::string> paths = {""};
  const auto parts = PartsOf(pattern);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    std::vector<std::string> longer;
    for (const std::string& path : paths) {
      if (!IsGlob(parts[i])) {
        longer.push_back(path + "/" + parts[i]);
        continue;
      }
      TIDEMARK_TRY(const auto found, Matches(files, path, parts[i], i + 1 == parts.size()));
      longer.insert(longer.end(), found.begin(), found.end());
    }
    paths = std::move(longer);
  }
  std::ranges::sort(paths);
  return paths;
}

}  // namespace tidemark::edge

#include "verify/locate_lake.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <system_error>
#include <vector>

#include "format/manifest.h"

namespace tidemark::verify {

namespace {

namespace fs = std::filesystem;

// Folders between the one named and a prefix: buckets' root, bucket, and a prefix of several
// segments.
constexpr int kDepthMax = 6;

std::vector<fs::path> EntriesOf(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    entries.push_back(it->path());
  }
  std::ranges::sort(entries);
  return entries;
}

bool IsFolder(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

// Folders that hold `_queen`; nothing is sought inside a lake.
void FindLakes(const fs::path& folder, int depth, std::vector<fs::path>& lakes) {
  if (IsFolder(folder / "_queen")) {
    lakes.push_back(folder);
    return;
  }
  if (depth == kDepthMax) return;
  for (const auto& entry : EntriesOf(folder)) {
    const std::string name = entry.filename();
    if (name.starts_with('.') || name.starts_with("queue=") || !IsFolder(entry)) continue;
    FindLakes(entry, depth + 1, lakes);
  }
}

std::optional<std::string> PrefixIn(const fs::path& manifest_file) {
  std::ifstream file(manifest_file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto manifest = format::DecodeManifest(text);
  if (!manifest || manifest->objects.empty()) return std::nullopt;
  const std::string& key = manifest->objects.front().key;
  if (key.starts_with("queue=")) return "";
  const auto at = key.rfind("/queue=");
  return at == std::string::npos ? std::nullopt : std::optional(key.substr(0, at));
}

// As the first manifest that tells it says.
std::optional<std::string> PrefixOf(const fs::path& lake) {
  for (const auto& queue : EntriesOf(lake / "_queen")) {
    for (const auto& file : EntriesOf(queue / "windows")) {
      if (auto prefix = PrefixIn(file)) return prefix;
    }
  }
  return std::nullopt;
}

// The folder above all segments of `prefix`; nullopt when `lake` does not end in them.
std::optional<fs::path> Above(fs::path lake, const std::string& prefix) {
  const fs::path segments(prefix);
  for (auto it = segments.end(); it != segments.begin();) {
    --it;
    if (lake.filename() != *it) return std::nullopt;
    lake = lake.parent_path();
  }
  return lake;
}

}  // namespace

Result<LakePlace> LocateLake(const std::string& path) {
  std::error_code error;
  const fs::path folder = fs::canonical(path, error);
  if (error) {
    return Fail(ErrorCode::kNotFound, fmt::format("\"{}\": {}", path, error.message()));
  }
  std::vector<fs::path> lakes;
  FindLakes(folder, 0, lakes);
  if (lakes.empty()) {
    return Fail(ErrorCode::kNotFound,
                fmt::format("no lake at \"{}\": neither it nor a folder in it holds _queen", path));
  }
  if (lakes.size() > 1) {
    std::vector<std::string> names(lakes.begin(), lakes.end());
    return Fail(
        ErrorCode::kInvalidArgument,
        fmt::format(
            "\"{}\" holds {} lakes, name one: {}", path, names.size(), fmt::join(names, ", ")));
  }
  const fs::path& lake = lakes.front();
  const std::string by_name = lake.filename();
  const std::string prefix = PrefixOf(lake).value_or(by_name);
  if (const auto bucket = Above(lake, prefix)) return LakePlace{*bucket, prefix};
  return LakePlace{lake.parent_path(), by_name};
}

}  // namespace tidemark::verify

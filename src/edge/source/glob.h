#pragma once
// Which files a pattern names.

#include <string>
#include <vector>

#include "base/result.h"
#include "io/file_system.h"

namespace tidemark::edge {

// True when `pattern` has one of `*`, `?`, `[`.
bool IsGlob(const std::string& pattern);

// The paths that match the absolute `pattern`, sorted, each once: `*`, `?` and `[…]` as in a shell,
// within one part of the path; a leading dot must be spelled out. What a pattern matches is no
// folder; whether a path without a pattern is there is for the caller to see. Blocking.
Result<std::vector<std::string>> ExpandGlob(io::FileSystem& files, const std::string& pattern);

}  // namespace tidemark::edge

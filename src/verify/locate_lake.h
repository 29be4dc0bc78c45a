#pragma once
// Where the lake is below a folder somebody names on a command line.

#include <string>

#include "base/result.h"

namespace tidemark::verify {

struct LakePlace {
  std::string bucket_folder;  // absolute; object keys are paths below it
  std::string prefix;

  bool operator==(const LakePlace&) const = default;
};

// `path` may be the folder of the prefix (it holds `_queen`), of the bucket, or the one that holds
// buckets. The prefix is what the keys in a manifest begin with: a prefix may have several
// segments, so its folder's name does not tell. Without a manifest it is the name of the folder
// that holds `_queen`. Errors: kNotFound when there is no lake, kInvalidArgument when there are
// several (the message names them). Blocking.
Result<LakePlace> LocateLake(const std::string& path);

}  // namespace tidemark::verify

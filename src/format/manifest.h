#pragma once
// The manifest of a committed window: compact JSON, one field order, the only place with a
// wall-clock value (contract: "The manifest"; queen-interface 10). Pure; docs/formats/manifest.md.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/window.h"

namespace tidemark::format {

struct ManifestObject {
  std::string key;
  std::int64_t bytes = 0;
  std::int64_t records = 0;
  std::string sha256;  // lower-case hex of the stored bytes

  struct Lane {
    std::string partition;
    Offset first;
    Offset last;
    bool operator==(const Lane&) const = default;
  };

  std::optional<Lane> lane;  // per-partition layout only

  bool operator==(const ManifestObject&) const = default;
};

struct Manifest {
  std::string sink;
  std::string queue;
  Window window;
  std::string format;       // "jsonl", "parquet"
  std::string compression;  // "zstd", "gzip", "none", "snappy"
  std::string layout;       // "merged", "per-partition"
  std::vector<ManifestObject> objects;
  std::int64_t records = 0;     // sum over objects
  std::int64_t bytes = 0;       // sum over objects
  std::int64_t partitions = 0;  // distinct lanes with at least one record
  std::optional<Micros> min_ts;
  std::optional<Micros> max_ts;
  std::vector<LostRange> lost;
  std::string writer;
  Micros committed_at;  // rendered in whole milliseconds, six digits

  bool operator==(const Manifest&) const = default;
};

std::string EncodeManifest(const Manifest& manifest);

// Unknown fields are ignored. kCorruption names the field that is missing or of the wrong kind.
Result<Manifest> DecodeManifest(std::string_view json);

// `_queen/<queue>/complete.json`: how far the lake is complete, moving on an idle queue too
// (docs/formats/complete.md).
struct Complete {
  std::string queue;
  WindowNumber k;
  Micros complete_through;
  std::int64_t lost = 0;  // offsets lost in windows up to k, as far as the file goes back
  Micros updated_at;      // rendered in whole milliseconds, six digits

  bool operator==(const Complete&) const = default;
};

// Both times as ISO-8601 with Z.
std::string EncodeComplete(const Complete& complete);
Result<Complete> DecodeComplete(std::string_view json);

}  // namespace tidemark::format

#pragma once
// The bodies of POST /api/v1/fetch and /api/v1/partitions/changed, checked and clamped
// (queen-interface 1.1, 1.2).

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/strong_int.h"
#include "base/time.h"

namespace tidemark::broker {

struct FetchEntry {
  std::string queue;
  std::string partition = "Default";
  Offset offset;
  std::int64_t max_bytes = 1 << 20;  // 1 .. 8 MiB of stored segment bytes
};

struct FetchRequest {
  static constexpr std::size_t kEntriesMax = 1024;

  std::vector<FetchEntry> entries;
  std::int64_t max_wait_ms = 0;  // 0 .. 30,000
  std::int64_t min_bytes = 1;    // payload bytes that end the wait
};

// kInvalidArgument with the reason: not JSON, more than kEntriesMax entries, a negative offset, a
// wrong type.
Result<FetchRequest> ParseFetch(std::string_view body);

struct DiscoveryEntry {
  std::string queue;
  std::optional<Micros> since;
  std::string after;  // opaque to the client; empty: from the start
  std::size_t limit = 1000;
};

inline constexpr std::size_t kDiscoveryEntriesMax = 64;

// kInvalidArgument with the reason; a cursor is judged later, by entry.
Result<std::vector<DiscoveryEntry>> ParseDiscovery(std::string_view body);

}  // namespace tidemark::broker

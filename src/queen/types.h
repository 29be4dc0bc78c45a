#pragma once
// Requests and answers of the Queen broker, as values (queen-interface 1). The window engine is fed
// with these.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/strong_int.h"
#include "base/time.h"
#include "queen/answer_body.h"

namespace tidemark::queen {

inline constexpr std::size_t kFetchEntriesMax = 1024;
inline constexpr std::int64_t kFetchEntryBytesMax = std::int64_t{8} << 20;
inline constexpr std::size_t kDiscoveryEntriesMax = 64;
inline constexpr std::size_t kDiscoveryPageMax = 1000;
inline constexpr std::size_t kKvOperationsMax = 256;

// ---- POST /api/v1/fetch

struct FetchEntry {
  std::string partition;
  Offset offset;
  std::int64_t max_bytes = std::int64_t{1} << 20;
};

enum class EntryError { kNone, kOffsetOutOfRange, kUnknownPartition, kBadCursor, kOther };

struct FetchEntryAnswer {
  EntryError error = EntryError::kNone;
  // Of the answer's body, and valid as long as it. Ascending offsets; may start above the asked
  // one, may have holes.
  std::span<const RecordSlice> records = {};
  Offset high_watermark = {};  // next offset to be assigned
  Offset log_start = {};
};

struct FetchAnswer {
  std::shared_ptr<const AnswerBody> body;
  std::vector<FetchEntryAnswer> entries = {};  // one per request entry, in request order
};

struct FetchRequest {
  std::string queue;
  std::vector<FetchEntry> entries;  // 1 .. kFetchEntriesMax, one per partition
  // How long the broker may hold the call until something arrives; 0: answer what is there. It
  // clamps at 30 s.
  std::int64_t max_wait_ms = 0;
  // A larger answer fails with kExhausted instead of being held.
  std::uint64_t max_answer_bytes = std::uint64_t{80} << 20;
};

// ---- POST /api/v1/partitions/changed

struct DiscoveryEntry {
  std::string queue;
  std::optional<Micros> since = {};  // nullopt: enumerate every partition
  std::string after = {};            // opaque cursor; empty: from the beginning
  std::size_t limit = kDiscoveryPageMax;
};

struct DiscoveredPartition {
  std::string name;
  Offset last_offset;  // last assigned; high watermark - 1
  Offset log_start = {};
  Micros last_write_at;  // exact for the first write, floored to the second for later ones
};

struct DiscoveryEntryAnswer {
  std::string queue;
  EntryError error = EntryError::kNone;
  std::vector<DiscoveredPartition> partitions = {};
  std::string next = {};  // empty: the pass is over
};

struct DiscoveryAnswer {
  Micros safe_time;  // no record below it can still become visible
  bool safe_time_degraded = false;
  std::vector<DiscoveryEntryAnswer> entries = {};
};

// ---- POST /api/v1/kv

struct KvRow {
  std::string key;
  std::string value;  // JSON text
  std::int64_t version = 0;
};

struct KvPut {
  std::string key;
  std::string value;  // JSON text
  // Seconds until it expires; nullopt: forever.
  std::optional<std::int64_t> ttl_seconds = {};
  // nullopt: whatever is there; 0: must not exist; else: must have that version.
  std::optional<std::int64_t> expect = {};
};

// Outcome of a put or delete that lost its condition is a value (applied = false), not an error.
struct KvResult {
  bool applied = false;
  std::int64_t version = 0;        // of the row now; 0: not there
  std::string current_value = {};  // JSON text; only when not applied and there is one
};

// Outcome of an all-or-nothing batch of puts.
struct KvBatchResult {
  bool applied = false;
  std::vector<std::int64_t> versions = {};       // one per put, when applied
  std::optional<std::size_t> failed_index = {};  // when not applied and the broker said which
};

}  // namespace tidemark::queen

#pragma once
// The tables of the broker's database and what is read from them at start.
// docs/formats/broker-store.md.

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "broker/catalog.h"
#include "broker/siphash.h"
#include "broker/sqlite.h"

namespace tidemark::broker {

inline constexpr std::int64_t kStoreFormat = 1;

// Numbers that outlive the process, one row each in `meta`.
struct StoreMeta {
  Micros floor;                 // see StampClock
  std::int64_t kv_version = 0;  // highest version given out
  SipKey dedup_key{};           // of the ids in the segments' marks
};

// Creates the tables in an empty database (with `fresh_key`), or checks that they are of
// kStoreFormat. kCorruption: not a database of this program; kInvalidArgument: of another format.
Result<StoreMeta> OpenSchema(Database& db, const SipKey& fresh_key);

// Everything that is in the tables, into an empty catalog.
Status LoadCatalog(Database& db, Catalog& catalog);

}  // namespace tidemark::broker

#pragma once
// One data object judged on its bytes: against its manifest entry, its window, and the rows read
// before it.

#include <cstdint>
#include <optional>
#include <string_view>

#include "format/manifest.h"
#include "verify/lane_ledger.h"
#include "verify/report.h"

namespace tidemark::verify {

// What the manifest promises of the object. All borrowed for the call.
struct ObjectPromise {
  const format::Manifest& manifest;
  const format::ManifestObject& object;
  std::string_view extension;
};

// What the object holds. `is_read` is false when its rows could not be judged; then the rest means
// nothing.
struct ObjectFacts {
  bool is_read = false;
  std::int64_t records = 0;
  std::int64_t partitions = 0;
  std::optional<Micros> min_ts;
  std::optional<Micros> max_ts;
};

// `bytes` as stored. Rows that fit are entered in the ledger; each kind of fault is one finding,
// with the first row of it and their number. Rows of an object with other bytes than the manifest
// says are not looked at.
ObjectFacts CheckObject(const ObjectPromise& promise,
                        std::string_view bytes,
                        LaneLedger& ledger,
                        Findings& findings);

}  // namespace tidemark::verify

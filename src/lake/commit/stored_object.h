#pragma once
// A data object read back from the bucket.

#include <string>

#include "lake/commit/upload_objects.h"
#include "lake/engine/lost_ranges.h"

namespace tidemark::lake {

struct StoredObject {
  format::ManifestObject object;
  RecordFacts facts;
  LostRanges runs;  // the offsets it holds
};

// SHA-256 of the stored bytes, one part of them in memory at a time. Repeats passing failures
// without bound.
io::Task<Result<Sha256Digest>> DigestOf(CommitContext& context, store::ObjectInfo object);

// Reads and decodes the whole object. kCorruption: it is damaged.
io::Task<Result<StoredObject>> ReadStored(CommitContext& context,
                                          const format::Form& form,
                                          std::string key);

}  // namespace tidemark::lake

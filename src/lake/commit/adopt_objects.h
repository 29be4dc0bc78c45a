#pragma once
// What a redo finds of its window in the bucket. Retention may have deleted records since an
// earlier builder uploaded them: an object that holds the same rows as the log still gives, or
// more, is adopted and never overwritten (decision 6). Without retention nothing depends on this: a
// rebuilt object has the same key and bytes.

#include "lake/commit/upload_objects.h"
#include "lake/engine/lost_ranges.h"

namespace tidemark::lake {

struct RedoneObjects {
  WindowObjects window;
  // Offsets read in adopted objects: the lake has them, whatever the log says.
  LostRanges adopted;
};

// The objects of `intent`'s window, adopted or uploaded; `records` is what the log still gives.
// kCorruption: the bucket holds an object of the window that fits neither. Other errors as
// UploadMerged.
io::Task<Result<RedoneObjects>> AdoptOrUpload(CommitContext& context,
                                              const format::Intent& intent,
                                              std::int64_t records,
                                              WindowSource& source);

}  // namespace tidemark::lake

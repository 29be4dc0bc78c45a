#pragma once
// Step 3 of the commit: the window's data objects, streamed from its source into the bucket.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "format/manifest.h"
#include "lake/commit/encode_records.h"

namespace tidemark::lake {

// The objects of a window that are in the bucket, in key order of their partitions.
struct WindowObjects {
  std::vector<format::ManifestObject> objects;
  RecordFacts facts;
  std::int64_t newline_payloads = 0;

  std::int64_t bytes() const;
};

// What the source holds of one partition.
struct LaneExtent {
  std::string partition;
  Offset first;
  Offset last;
  std::int64_t records = 0;
};

// Reads the source once.
io::Task<Result<std::vector<LaneExtent>>> ScanLanes(WindowSource& source);

// Uploads what the form's layout asks for: one object, or one for each lane; none without records.
// Repeats passing failures without bound, from the first record or, with lanes, from the first lane
// that is not stored. kInternal: the source gave other than `records` records; the object in
// question is not stored then.
io::Task<Result<WindowObjects>> UploadObjects(CommitContext& context,
                                              const format::Form& form,
                                              const format::Window& window,
                                              std::int64_t records,
                                              WindowSource& source);

io::Task<Result<WindowObjects>> UploadMerged(CommitContext& context,
                                             const format::Form& form,
                                             const format::Window& window,
                                             std::int64_t records,
                                             WindowSource& source);

struct StoredLane {
  format::ManifestObject object;
  RecordFacts facts;
};

// `stored`: lanes, by partition, whose object is there already and stays as it is.
io::Task<Result<WindowObjects>> UploadLanes(CommitContext& context,
                                            const format::Form& form,
                                            const format::Window& window,
                                            std::int64_t records,
                                            WindowSource& source,
                                            std::map<std::string, StoredLane> stored);

}  // namespace tidemark::lake

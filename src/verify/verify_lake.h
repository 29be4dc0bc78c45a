#pragma once
// Reads a whole lake back from its manifests and judges it: nothing of the writers is trusted, only
// the contract.
//
// For every queue, windows in order, one object in memory at a time:
//   manifest     reads, belongs to its key, its sums add up, k follows k - 1, [tStart, tEnd) tiles
//   objects      key, size, SHA-256, record count, partitions, Parquet footer
//   rows         order, ts inside the window, minTs and maxTs, (partition, offset, ts) unique over
//                the lake, no offset of a lane left out unless a manifest lists it as lost
//   sidecars     checkpoints, lost sidecars and complete.json read and fit
// and then every object below the prefix is accounted for.

#include <cstdint>
#include <functional>
#include <string>

#include "io/task.h"
#include "store/object_store.h"
#include "verify/report.h"

namespace tidemark::verify {

struct Progress {
  std::string queue;
  std::int64_t windows_read = 0;  // of all queues
  std::int64_t windows_total = 0;
  std::int64_t bytes_read = 0;
};

struct VerifyOptions {
  std::string prefix = "queen";
  // After every window, on the loop's thread.
  std::function<void(const Progress& progress)> on_progress;
};

// Damage is in the report; an error means that the store could not be read. Memory: the largest
// object, 150 bytes and the name per partition of one queue, 50 bytes per window. A lake that grows
// meanwhile is judged as far as it was at the start. The store outlives the task; loop thread.
io::Task<Result<Report>> VerifyLake(store::ObjectStore& store, VerifyOptions options);

}  // namespace tidemark::verify

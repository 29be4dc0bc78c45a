#pragma once
// Whether broker and bucket can be used: asked before any work begins, and in depth by `--check`.

#include <string>

#include "io/random.h"
#include "lake/config/lake_config.h"
#include "queen/broker.h"
#include "store/object_store.h"

namespace tidemark::lake {

// What a start needs (queen-interface 12, boot order): discovery without entries; HEAD `<prefix>/`.
// The error says what to check.
io::Task<Result<queen::DiscoveryAnswer>> ProbeBroker(queen::Broker& broker,
                                                     const LakeConfig& config);
io::Task<Status> ProbeBucket(store::ObjectStore& store, const LakeConfig& config);

// Writes, reads and deletes the KV row `s3:<sink>:check`, which is no queue's and expires by itself
// within a minute.
io::Task<Status> TryKv(queen::Broker& broker, const LakeConfig& config);

struct BucketTrial {
  std::string key;
  Status deleted;  // what a sink deletes it can do without
};

// Puts, heads, gets, lists and deletes one small object where a sink itself deletes: beside
// checkpoints (queen-interface 11.8), below a folder that is no queue's. No reader's glob sees it.
// An error that is a refusal names the permission that is missing.
io::Task<Result<BucketTrial>> TryBucket(store::ObjectStore& store,
                                        const LakeConfig& config,
                                        io::Random& random);

struct UploadTrial {
  std::string key;
  // What a sink can do without: parts of failed uploads then stay, and are paid for.
  Status listed;
  Status aborted;
};

// As TryBucket, with a multipart upload of one small part that is aborted, never completed.
io::Task<Result<UploadTrial>> TryUpload(store::ObjectStore& store,
                                        const LakeConfig& config,
                                        io::Random& random);

}  // namespace tidemark::lake

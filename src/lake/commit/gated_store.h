#pragma once
// The store as an upload sees it: each write waits at the gate until the lease is certainly ours,
// so that an owner that was frozen for longer than its lease starts nothing in the bucket when it
// wakes (decision "Fencing PUTs").

#include "lake/commit/commit_context.h"
#include "store/object_store.h"

namespace tidemark::lake {

// Passes everything on to context.store, which outlives it as the context does. A write fails with
// kPreconditionFailed when the lease is lost; it does not fail while the broker is merely away: it
// waits.
class GatedStore final : public store::ObjectStore {
 public:
  explicit GatedStore(CommitContext& context) : context_(context) {}

  io::Task<Status> Put(std::string key, std::string content_type, store::Bytes bytes) override;
  io::Task<Result<store::UploadId>> CreateUpload(std::string key,
                                                 std::string content_type) override;
  io::Task<Result<std::string>> PutPart(store::UploadId upload,
                                        int number,
                                        store::Bytes bytes) override;
  io::Task<Status> CompleteUpload(store::UploadId upload,
                                  std::vector<std::string> part_tags) override;
  io::Task<Status> Delete(std::string key) override;

  // Not gated: they change nothing that is visible.
  io::Task<Status> AbortUpload(store::UploadId upload) override;
  io::Task<Result<std::vector<store::UploadId>>> ListUploads(std::string prefix) override;
  io::Task<Result<std::optional<store::ObjectInfo>>> Head(std::string key) override;
  io::Task<Result<std::optional<std::string>>> Get(std::string key) override;
  io::Task<Result<std::string>> GetRange(std::string key,
                                         std::int64_t offset,
                                         std::int64_t size) override;
  io::Task<Result<store::ListPage>> List(std::string prefix,
                                         std::string start_after,
                                         int max_keys) override;

 private:
  CommitContext& context_;
};

}  // namespace tidemark::lake

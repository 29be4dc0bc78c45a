#pragma once
// The store as an upload sees it: each attempt of a write waits at the gate until the lease is
// certainly ours, so that an owner that was frozen for longer than its lease starts nothing in the
// bucket when it wakes (decision "Fencing PUTs").

#include <string>
#include <type_traits>

#include "lake/commit/commit_context.h"
#include "store/object_store.h"
#include "store/operation.h"

namespace tidemark::lake {

// Passes everything on to context.store, which outlives it as the context does and makes one
// attempt of a write. Of those that fail for a passing reason six are made (queen-interface 11.7),
// with waits that end with the drain: a part that fails does not cost its upload. A write fails
// with kPreconditionFailed when the lease is lost; it does not fail while the broker is merely
// away: it waits.
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
  // `send()` makes a Task<Result<T>>: one attempt.
  template <typename F, typename R = std::invoke_result_t<F&>>
  R Attempt(store::Operation operation, std::string key, F send);

  CommitContext& context_;
};

}  // namespace tidemark::lake

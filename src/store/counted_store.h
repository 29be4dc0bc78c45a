#pragma once
// Counts the calls of a store that makes no HTTP requests as if each were one, so that the request
// metric (queen-interface 13.1) tells of a directory what it tells of a bucket.

#include <functional>
#include <memory>

#include "store/object_store.h"
#include "store/operation.h"

namespace tidemark::store {

// Passes every call on to the store it owns. `on_request` is told the status that S3 would have
// answered: 200; 404 for what is not there; 403, 507 (no room), 400; 500 for the rest. Loop thread.
class CountedStore final : public ObjectStore {
 public:
  using OnRequest = std::function<void(Operation operation, int status)>;

  CountedStore(std::unique_ptr<ObjectStore> inner, OnRequest on_request)
      : inner_(std::move(inner)), on_request_(std::move(on_request)) {}

  io::Task<Status> Put(std::string key, std::string content_type, Bytes bytes) override;
  io::Task<Result<std::optional<ObjectInfo>>> Head(std::string key) override;
  io::Task<Result<std::optional<std::string>>> Get(std::string key) override;
  io::Task<Result<std::string>> GetRange(std::string key,
                                         std::int64_t offset,
                                         std::int64_t size) override;
  io::Task<Result<ListPage>> List(std::string prefix,
                                  std::string start_after,
                                  int max_keys) override;
  io::Task<Status> Delete(std::string key) override;
  io::Task<Result<UploadId>> CreateUpload(std::string key, std::string content_type) override;
  io::Task<Result<std::string>> PutPart(UploadId upload, int number, Bytes bytes) override;
  io::Task<Status> CompleteUpload(UploadId upload, std::vector<std::string> part_tags) override;
  io::Task<Status> AbortUpload(UploadId upload) override;
  io::Task<Result<std::vector<UploadId>>> ListUploads(std::string prefix) override;

 private:
  template <typename R>
  io::Task<R> Count(Operation operation, io::Task<R> call);

  std::unique_ptr<ObjectStore> inner_;
  OnRequest on_request_;
};

}  // namespace tidemark::store

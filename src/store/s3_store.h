#pragma once
// An ObjectStore over the S3 API (queen-interface 11): plain PUT, multipart, GET, HEAD, LIST,
// DELETE; no conditional requests, so any S3-compatible store will do.

#include <string>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "store/object_store.h"
#include "store/s3_client.h"
#include "store/s3_xml.h"

namespace tidemark::store {

// Repeats inside a call what may help; see S3Options. Loop thread; outlives its calls.
class S3Store final : public ObjectStore {
 public:
  S3Store(StoreWorld world, S3Options options)
      : world_(world), client_(std::move(world), std::move(options)) {}

  // An answer 2xx that carries an error document is kOutcomeUnknown and repeated. One without an
  // ETag, or with any other document, counts once HEAD tells the size that was sent; else it is
  // kOutcomeUnknown, for the caller to repeat.
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
  // kOutcomeUnknown with status 404 when the store knows no such upload: an attempt whose answer
  // was lost may have completed it.
  io::Task<Status> CompleteUpload(UploadId upload, std::vector<std::string> part_tags) override;
  io::Task<Status> AbortUpload(UploadId upload) override;
  io::Task<Result<std::vector<UploadId>>> ListUploads(std::string prefix) override;

 private:
  io::Task<Status> CheckAbsent(std::string key);
  io::Task<Status> CheckStored(std::string key, std::int64_t bytes);
  io::Task<Result<UploadPage>> UploadsFrom(std::string prefix, UploadId from);
  // Headers of a request that creates an object.
  io::HttpHeaders CreationHeaders(const std::string& content_type) const;
  io::Task<Md5Digest> Md5OnWorker(Bytes bytes);

  StoreWorld world_;
  S3Client client_;
};

}  // namespace tidemark::store

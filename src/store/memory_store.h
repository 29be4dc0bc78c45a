#pragma once
// An ObjectStore in memory, for tests and simulations. Every call comes back through the loop, as a
// real store's does.

#include <map>
#include <string>
#include <vector>

#include "io/loop.h"
#include "store/object_store.h"

namespace tidemark::store {

// Loop thread only; the loop outlives it.
class MemoryStore final : public ObjectStore {
 public:
  struct Object {
    std::string content_type;
    Bytes bytes;
  };

  explicit MemoryStore(io::Loop& loop) : loop_(loop) {}

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

  // What the store holds, by key; for a test to look at without a loop.
  const std::map<std::string, Object>& objects() const { return objects_; }

  std::size_t open_uploads() const { return uploads_.size(); }

 private:
  struct OpenUpload {
    std::string key;
    std::string content_type;
    std::map<int, Bytes> parts;
  };

  Result<OpenUpload*> FindUpload(const UploadId& upload);

  io::Loop& loop_;
  std::map<std::string, Object> objects_;
  std::map<std::string, OpenUpload> uploads_;
  int uploads_created_ = 0;
};

}  // namespace tidemark::store

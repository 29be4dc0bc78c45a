#pragma once
// The wrapper every test puts around its store: it watches that no key is ever written twice with
// different bytes, which is what exactly-once means in a bucket.

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "store/object_store.h"

namespace tidemark::store {

enum class KeyRule {
  kSameBytes,           // data objects, lost sidecars
  kSameButCommittedAt,  // manifests: the one wall-clock value may differ
  kMutable,             // checkpoints, complete.json: caches that move on
};

// The rule of a key of the lake's layout, whatever its prefix (queen-interface 7).
KeyRule RuleOfLakeKey(std::string_view key);

// Passes every call on to `inner`, which outlives it. A write counts when it may have been stored:
// on success, unknown outcome and corruption. Deleting a key does not make it new. Keep one alive
// across the simulated restarts of a test. Destruction ends the process when violations were not
// taken. Loop thread.
class CheckedStore final : public ObjectStore {
 public:
  explicit CheckedStore(ObjectStore& inner,
                        std::function<KeyRule(std::string_view)> rule = RuleOfLakeKey);
  ~CheckedStore() override;

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

  // One line a violation, and forgets them; for tests that provoke one.
  std::vector<std::string> TakeViolations() { return std::exchange(violations_, {}); }

 private:
  void Record(const std::string& key, std::string_view bytes);

  ObjectStore& inner_;
  std::function<KeyRule(std::string_view)> rule_;
  std::map<std::string, std::string> written_;  // key → what must not change of its first bytes
  std::map<std::string, std::map<int, Bytes>> uploads_;  // upload id → parts
  std::vector<std::string> violations_;
};

}  // namespace tidemark::store

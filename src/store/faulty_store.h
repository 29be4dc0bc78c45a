#pragma once
// A store that fails on demand, for tests: before it acts, after it acted (the answer is lost), or
// late.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/loop.h"
#include "store/object_store.h"
#include "store/operation.h"

namespace tidemark::store {

// Applies to the next `times` calls of `operation` on a key that contains `key_part` (List: on a
// prefix that does).
struct Fault {
  enum class Kind {
    kFail,       // answers `error` without acting
    kLoseReply,  // acts, then answers `error`
    kDelay,      // waits `delay` on the loop, then acts
    kPretend,  // a planted bug: answers that it was done, without acting (calls that answer Status)
  };

  Operation operation = Operation::kPut;
  std::string key_part = {};  // empty: every key
  int times = 1;
  Kind kind = Kind::kFail;
  Error error = {.code = ErrorCode::kUnavailable, .message = "planted fault"};
  io::Duration delay = {};
};

// Passes calls on to `inner`, which outlives it, but for planted faults; of several that fit, the
// oldest comes first. Loop thread.
class FaultyStore final : public ObjectStore {
 public:
  FaultyStore(io::Loop& loop, ObjectStore& inner) : loop_(loop), inner_(inner) {}

  void Plant(Fault fault) { faults_.push_back(std::move(fault)); }

  // Calls of that operation so far, failed ones included.
  int calls(Operation operation) const;

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
  std::optional<Fault> NextFault(Operation operation, std::string_view key);
  // Runs `call`, which is `operation` on `key`, with the fault that is due.
  template <typename R>
  io::Task<R> Disturb(Operation operation, std::string key, io::Task<R> call);

  io::Loop& loop_;
  ObjectStore& inner_;
  std::vector<Fault> faults_;
  std::map<Operation, int> calls_;
};

}  // namespace tidemark::store

#pragma once
// An object store: whole objects by key. Drivers: memory, directory, s3 (each in its file). Keys
// are the plain names of format/object_key.h; encoding them for a wire or a disk is the driver's
// business.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "io/task.h"

namespace tidemark::store {

using Bytes = std::shared_ptr<const std::string>;

struct ObjectInfo {
  std::string key;
  std::int64_t bytes = 0;
};

struct ListPage {
  std::vector<ObjectInfo> objects;  // ascending by key bytes
  bool truncated = false;           // ask again with start_after = the last key
};

// A multipart upload in progress. Nothing of it is visible before Complete.
struct UploadId {
  std::string key;
  std::string id;
};

// Errors of every call: kUnavailable and kOutcomeUnknown (try again: a put is idempotent here,
// since a key always gets the same bytes), kPermissionDenied (401, 403), kInvalidArgument (other
// 4xx), kExhausted (disk or quota), kCorruption (the store acknowledged other bytes than were sent:
// try again). Message: operation, key, what the store said. `status` holds the HTTP status where
// there was one. All calls on the loop's thread.
class ObjectStore {
 public:
  virtual ~ObjectStore() = default;

  // Creates or replaces; atomic: a reader sees the old object, the new one or none, never a part.
  // Durable on return.
  virtual io::Task<Status> Put(std::string key, std::string content_type, Bytes bytes) = 0;

  // nullopt: not there.
  virtual io::Task<Result<std::optional<ObjectInfo>>> Head(std::string key) = 0;
  virtual io::Task<Result<std::optional<std::string>>> Get(std::string key) = 0;
  // Bytes [offset, offset + size) or fewer at the object's end. kNotFound when not there.
  virtual io::Task<Result<std::string>> GetRange(std::string key,
                                                 std::int64_t offset,
                                                 std::int64_t size) = 0;

  // Keys that begin with `prefix` and are above `start_after` (empty: from the first), at most
  // `max_keys` (1..1000).
  virtual io::Task<Result<ListPage>> List(std::string prefix,
                                          std::string start_after,
                                          int max_keys) = 0;

  // Success also when it was not there.
  virtual io::Task<Status> Delete(std::string key) = 0;

  virtual io::Task<Result<UploadId>> CreateUpload(std::string key, std::string content_type) = 0;
  // Parts are numbered from 1, without gaps; returns the store's tag of the part, for
  // CompleteUpload.
  virtual io::Task<Result<std::string>> PutPart(UploadId upload, int number, Bytes bytes) = 0;
  virtual io::Task<Status> CompleteUpload(UploadId upload, std::vector<std::string> part_tags) = 0;
  virtual io::Task<Status> AbortUpload(UploadId upload) = 0;

  // Uploads begun, and neither completed nor aborted, of keys that begin with `prefix`; those of
  // other processes too, where uploads outlive theirs.
  virtual io::Task<Result<std::vector<UploadId>>> ListUploads(std::string prefix) = 0;
};

}  // namespace tidemark::store

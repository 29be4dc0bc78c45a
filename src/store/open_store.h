#pragma once
// The store that a configuration names: `file:///dir` is a directory, `http(s)://host[:port]` an S3
// endpoint.

#include <memory>
#include <string>

#include "base/result.h"
#include "store/object_store.h"
#include "store/store_world.h"

namespace tidemark::store {

// The fields are those of queen-interface 12, with its defaults; an empty text is "not set".
struct StoreOptions {
  std::string endpoint;  // no slash at the end
  std::string bucket;    // a directory's default: `lake`
  // The rest is for S3 only.
  std::string region;

  // Secrets. Either keys, the token with them if they are temporary, or a file that holds all three
  // and is read again when they are refused.
  std::string access_key;
  std::string secret_key;
  std::string session_token;
  std::string credentials_file;

  bool path_style = false;
  std::string sse;             // "AES256", "aws:kms"
  std::string sse_kms_key_id;  // only with aws:kms
  std::string ca_file;         // PEM; empty: the system's
  // A write that failed is tried again inside the call. False: its caller makes the attempts.
  bool repeat_writes = true;
  // What errors put in front of a field's name, so that the operator reads the variable's:
  // QUEEN_S3_ENDPOINT.
  std::string name_prefix = "QUEEN_S3_";

  bool IsDirectory() const { return endpoint.starts_with("file://"); }
};

// Errors: kInvalidArgument is one sentence with the field's name, its value (never a secret) and
// what is accepted; others come from the disk. No request is made: whether the bucket answers shows
// at the first call. Blocking.
Result<std::unique_ptr<ObjectStore>> OpenStore(const StoreOptions& options,
                                               const StoreWorld& world);

}  // namespace tidemark::store

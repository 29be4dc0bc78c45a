#pragma once
// One S3 call: signed, sent, judged, and sent again when that may help
// (queen-interface 11.3, 11.7).

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "io/http.h"
#include "io/retry.h"
#include "store/s3_url.h"
#include "store/sigv4.h"
#include "store/store_world.h"

namespace tidemark::store {

struct S3Options {
  S3Endpoint endpoint;
  std::string bucket;
  std::string region;
  bool path_style = false;
  Credentials credentials;
  // Asked when the store refuses the credentials; may have newer ones. Blocking, on a worker.
  // Empty: they are fixed.
  std::function<Result<Credentials>()> reload_credentials;
  std::string sse;             // "", "AES256", "aws:kms"
  std::string sse_kms_key_id;  // only with aws:kms
  std::string ca_file;         // empty: the system's
  io::Duration connect_timeout = std::chrono::seconds(5);
  io::Duration timeout = std::chrono::seconds(120);
  int attempts_max = 6;
  // Of what changes what readers see or what is paid for: puts, deletes, uploads (not their abort).
  // 1: the caller makes the attempts. Credentials that were refused and are others now are then
  // kUnavailable.
  int write_attempts_max = 6;
  // Wait before the next attempt, unless Retry-After asks for more; never above `most`.
  io::Backoff backoff = {.jitter_low = 0.1, .jitter_high = 1.0};
};

struct S3Request {
  Operation operation = Operation::kGet;
  std::string method = "GET";
  std::string key;    // empty: the bucket
  std::string about;  // what errors name; empty: the key
  Query query;
  io::HttpHeaders headers;  // in lower case, beside those every request has
  std::shared_ptr<const std::string> body;
  // Statuses that are an answer, beside 2xx; 404 only when it is said of the key or of its upload.
  std::vector<int> accepted;
  std::uint64_t max_response_bytes = std::uint64_t{16} << 20;
  // Looks at an accepted answer; its retriable errors and kCorruption count as a failed attempt.
  // Empty: none.
  std::function<Status(const io::HttpResponse&)> judge;
};

// Loop thread.
class S3Client {
 public:
  S3Client(StoreWorld world, S3Options options)
      : world_(std::move(world)), options_(std::move(options)) {}

  const S3Options& options() const { return options_; }

  // Errors as ObjectStore promises them; the message begins with the operation and the key.
  io::Task<Result<io::HttpResponse>> Call(S3Request request);

 private:
  io::Task<Result<io::HttpResponse>> Attempt(const S3Request& request, const std::string& sha256);
  io::HttpRequest Sign(const S3Request& request, const std::string& sha256) const;
  // True when the file holds others than `refused` now.
  io::Task<bool> ReloadCredentials(Credentials refused);
  // False when told to stop.
  io::Task<bool> WaitAfter(int attempt, Error error);

  StoreWorld world_;
  S3Options options_;
};

}  // namespace tidemark::store

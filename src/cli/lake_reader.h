#pragma once
// A lake opened to read, as `tidemark verify` and `tidemark inspect` name one on the command line.

#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "io/async.h"
#include "io/clock.h"
#include "io/curl_http_client.h"
#include "io/file_system.h"
#include "io/loop.h"
#include "io/random.h"
#include "io/worker_pool.h"
#include "store/object_store.h"

namespace tidemark::cli {

// What the argument LAKE may be, for --help.
extern const char* const kLakeArgumentHelp;

// Owns all a store runs on. Nothing is created or changed in the lake.
class LakeReader {
 public:
  // `lake`: a folder (verify/locate_lake.h), s3://bucket[/prefix], or empty for the QUEEN_S3_*
  // environment. kInvalidArgument and kNotFound are the user's to mend, in one sentence.
  static Result<std::unique_ptr<LakeReader>> Open(std::string lake);

  store::ObjectStore& store() { return *store_; }

  const std::string& prefix() const { return prefix_; }

  // "/data/lake, prefix queen", "bucket b at https://..., prefix queen".
  const std::string& words() const { return words_; }

  // Runs one task to its end on the calling thread. Once.
  template <typename T>
  T Run(io::Task<T> task) {
    std::optional<T> value;
    io::Spawn(*loop_, KeepAndStop(*loop_, std::move(task), value));
    loop_->Run();
    return std::move(*value);
  }

 private:
  LakeReader() = default;

  Status OpenFolder(const std::string& path);
  Status OpenByEnvironment(const std::string& s3_url);

  template <typename T>
  static io::Task<void> KeepAndStop(io::Loop& loop, io::Task<T> task, std::optional<T>& value) {
    value.emplace(co_await task);
    loop.Stop();
  }

  std::unique_ptr<io::Loop> loop_ = io::NewThreadLoop();
  std::unique_ptr<io::WorkerPool> pool_ = io::NewWorkerPool(2);
  io::CurlHttpClient http_{*loop_};
  io::PosixFileSystem files_;
  io::SystemClock clock_;
  io::SystemRandom random_;
  std::unique_ptr<store::ObjectStore> store_;
  std::string prefix_;
  std::string words_;
};

}  // namespace tidemark::cli

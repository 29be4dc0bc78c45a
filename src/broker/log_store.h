#pragma once
// The broker's log, queues and documents in one folder: an SQLite database
// (docs/formats/broker-store.md). Everything a caller is told happened is on disk. Thread-safe;
// callbacks come on the writer thread and must be quick.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "broker/catalog.h"
#include "broker/fetch_request.h"
#include "broker/kv_batch.h"
#include "broker/log_reader.h"
#include "broker/log_writer.h"
#include "broker/push_request.h"
#include "io/clock.h"
#include "io/random.h"

namespace tidemark::broker {

struct LogStoreOptions {
  std::string dir;  // made when missing; one process at a time
  // Records whose transaction ids are remembered, all queues together: up to 40 bytes
  // each.
  std::size_t dedup_records_max = std::size_t{1} << 21;
  // How far safe times stay behind the clock. 0 is sound; a lag imitates brokers that have one.
  std::int64_t safe_lag_us = 0;
};

class LogStore {
 public:
  template <typename T>
  using Done = std::move_only_function<void(T result)>;
  using OnNews = std::function<void(std::vector<LaneNews> news)>;

  // Borrows clock and random (used by the writer thread alone) for its lifetime. kAlreadyExists:
  // another process has the folder open; kCorruption, kInvalidArgument: what is there cannot be
  // read by this program.
  static Result<std::unique_ptr<LogStore>> Open(LogStoreOptions options,
                                                const io::Clock& clock,
                                                io::Random& random,
                                                OnNews on_news);
  ~LogStore();

  // The answer's body.
  void Push(PushRequest request, Done<Result<std::string>> done);
  void Kv(std::vector<KvOp> ops, Done<Result<std::string>> done);

  void Configure(std::string queue, QueueOptions options, Done<Status> done);
  // kNotFound.
  void DeleteQueue(std::string queue, Done<Status> done);

  // Reads on the calling thread.
  Result<FetchAnswer> Fetch(const FetchRequest& request);

  // See StampClock. Usually at once, on the calling thread; else after a commit.
  void SafeTime(Done<Result<Micros>> done);

  const Catalog& catalog() const;

  // Deletes what retention lets go, what is left of deleted queues and expired documents, in many
  // small transactions; waits for each. One thread at a time.
  Status Housekeep();

  // Finishes what was asked for, writes the exact floor and closes. Later calls are answered
  // kCancelled.
  Status Close();

 private:
  class Impl;
  explicit LogStore(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace tidemark::broker

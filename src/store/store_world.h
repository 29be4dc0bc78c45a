#pragma once
// What a store runs on, in one struct: the outside world, and who is told of its requests.

#include <functional>
#include <stop_token>

#include "io/clock.h"
#include "io/file_system.h"
#include "io/http.h"
#include "io/loop.h"
#include "io/random.h"
#include "io/worker_pool.h"
#include "store/operation.h"

namespace tidemark::store {

// All of it outlives the store.
struct StoreWorld {
  io::Loop& loop;
  io::WorkerPool& pool;  // files, digests of large bodies
  io::HttpClient& http;
  io::FileSystem& files;  // the directory store, credentials files
  const io::Clock& clock;
  io::Random& random;
  std::stop_token stop = {};  // requested: a failed call is not tried again
  // Called after each HTTP request with its status, 0 when there was no answer: the request metric.
  // A directory's calls count too (store/counted_store.h).
  std::function<void(Operation, int status)> on_request = {};
};

}  // namespace tidemark::store

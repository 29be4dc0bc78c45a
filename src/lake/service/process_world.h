#pragma once
// What a process of the lake is built on: clock, loop, pool, HTTP, files, bucket, broker. Shared by
// a run and by `--check`.

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/result.h"
#include "io/curl_http_client.h"
#include "io/file_system.h"
#include "lake/commit/lake_world.h"
#include "lake/config/lake_config.h"
#include "lake/service/status_board.h"
#include "obs/health.h"
#include "obs/log.h"
#include "obs/metrics.h"
#include "queen/http_broker.h"
#include "store/object_store.h"

namespace tidemark::lake {

// Declared in the order in which things need each other.
struct ProcessWorld {
  ProcessWorld(const LakeConfig& config, const std::string& version);

  io::SystemClock clock;
  io::SystemRandom random;
  obs::Log log;
  obs::Metrics metrics;
  obs::Health health;
  StatusBoard board;
  io::PosixFileSystem files;
  std::unique_ptr<io::Loop> loop;
  std::unique_ptr<io::WorkerPool> pool;
  io::CurlHttpClient http;
};

// The configured bucket; its requests are counted. Outlived by `world`. Errors as store::OpenStore.
// `drain`: of a process that serves. Its writes are one attempt each, since every one waits for the
// lease (lake/commit/gated_store.h), and once it drains no call that failed is tried again inside.
Result<std::unique_ptr<store::ObjectStore>> OpenBucket(ProcessWorld& world,
                                                       const LakeConfig& config,
                                                       const std::optional<std::stop_token>& drain);

// What of it the lake borrows, with the broker and the store of the configuration.
LakeWorld BorrowedBy(ProcessWorld& world, queen::Broker& broker, store::ObjectStore& store);

queen::HttpBrokerOptions BrokerOptions(const LakeConfig& config);

// A sentence to stderr, as every reason to end begins: `queen-s3: `.
void Complain(std::string_view sentence);

}  // namespace tidemark::lake

#include "lake/service/process_world.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <thread>

#include "store/open_store.h"

namespace tidemark::lake {

ProcessWorld::ProcessWorld(const LakeConfig& config, const std::string& version)
    : log(clock,
          {.target = "queen_s3",
           .level = config.log_level,
           .format = config.log_format,
           .sample_gate_ms = 5'000},
          obs::StderrSink()),
      health(clock, config.max_window_ms),
      board(clock,
            health,
            {.version = version,
             .sink = config.sink,
             .instance = config.instance,
             .bucket = fmt::format("{} at {}, prefix {}",
                                   config.bucket.bucket,
                                   config.bucket.endpoint,
                                   config.form.prefix),
             .memory_bytes = config.memory_mb << 20}),
      loop(io::NewThreadLoop()),
      pool(io::NewWorkerPool(static_cast<int>(std::max(1u, std::thread::hardware_concurrency())))),
      http(*loop) {}

Result<std::unique_ptr<store::ObjectStore>> OpenBucket(
    ProcessWorld& world, const LakeConfig& config, const std::optional<std::stop_token>& drain) {
  const store::StoreWorld store_world{
      .loop = *world.loop,
      .pool = *world.pool,
      .http = world.http,
      .files = world.files,
      .clock = world.clock,
      .random = world.random,
      .stop = drain.value_or(std::stop_token()),
      .on_request = [&metrics = world.metrics](store::Operation operation, int status) {
        const std::string code = std::to_string(status);
        metrics.Add(obs::Metric::kS3Requests, {store::ToString(operation), code});
      }};
  store::StoreOptions options = config.bucket;
  options.repeat_writes = !drain.has_value();
  return store::OpenStore(options, store_world);
}

LakeWorld BorrowedBy(ProcessWorld& world, queen::Broker& broker, store::ObjectStore& store) {
  return {.loop = *world.loop,
          .pool = *world.pool,
          .broker = broker,
          .store = store,
          .clock = world.clock,
          .random = world.random};
}

queen::HttpBrokerOptions BrokerOptions(const LakeConfig& config) {
  return {.url = config.broker.url, .token = config.broker.token};
}

void Complain(std::string_view sentence) { fmt::print(stderr, "queen-s3: {}\n", sentence); }

}  // namespace tidemark::lake

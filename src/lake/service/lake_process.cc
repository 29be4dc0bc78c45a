#include "lake/service/lake_process.h"

#include <fmt/format.h>
#include <malloc.h>

#include <thread>

#include "io/curl_http_client.h"
#include "io/file_system.h"
#include "lake/service/lake_service.h"
#include "lake/service/status_endpoints.h"
#include "queen/http_broker.h"
#include "store/open_store.h"

namespace tidemark::lake {

namespace {

void Complain(std::string_view sentence) { fmt::print(stderr, "queen-s3: {}\n", sentence); }

ServiceOptions ServiceOptionsFrom(const LakeConfig& config, const std::string& version) {
  ServiceOptions options;
  if (!config.all_queues) options.queues = config.queues;
  options.memory_bytes = config.memory_mb << 20;
  SinkOptions& sink = options.sink;
  sink.engine.rules = {.target_bytes = config.target_mb << 20,
                       .window_us_max = config.max_window_ms * kMicrosPerMilli,
                       .guard_us = config.safe_guard_ms * kMicrosPerMilli,
                       .align = config.form.align};
  sink.engine.fetch.concurrency = static_cast<int>(config.fetch_concurrency);
  sink.commit.sink = config.sink;
  sink.commit.version = version;
  sink.commit.form = config.form;
  sink.commit.multipart_threshold_bytes = config.multipart_threshold_mb << 20;
  sink.commit.crash_at = config.crash_at;
  sink.lease.sink = config.sink;
  sink.lease.instance = config.instance;
  sink.lease.ttl = std::chrono::milliseconds(config.lease_ttl_ms);
  sink.start = config.start;
  sink.checkpoint_every = config.checkpoint_every;
  sink.discovery_interval = std::chrono::milliseconds(config.discovery_interval_ms);
  FitToBudget(options.memory_bytes, sink);
  return options;
}

// One heap for all threads: bodies are allocated on one and freed on another, and every further
// arena keeps megabytes of holes. Allocations are few and large, so nobody waits.
void UseOneHeap() { mallopt(M_ARENA_MAX, 1); }

// Declared in the order in which things need each other.
struct Process {
  explicit Process(const LakeConfig& config)
      : log(clock,
            {.target = "queen_s3",
             .level = config.log_level,
             .format = config.log_format,
             .sample_gate_ms = 5'000},
            obs::StderrSink()),
        health(clock, config.max_window_ms),
        loop(io::NewThreadLoop()),
        pool(
            io::NewWorkerPool(static_cast<int>(std::max(1u, std::thread::hardware_concurrency())))),
        http(*loop) {}

  io::SystemClock clock;
  io::SystemRandom random;
  obs::Log log;
  obs::Metrics metrics;
  obs::Health health;
  io::PosixFileSystem files;
  std::unique_ptr<io::Loop> loop;
  std::unique_ptr<io::WorkerPool> pool;
  io::CurlHttpClient http;
};

Result<std::unique_ptr<store::ObjectStore>> OpenBucket(Process& process, const LakeConfig& config) {
  const store::StoreWorld world{
      .loop = *process.loop,
      .pool = *process.pool,
      .http = process.http,
      .files = process.files,
      .clock = process.clock,
      .random = process.random,
      .on_request = [&metrics = process.metrics](store::Operation operation, int status) {
        const std::string code = std::to_string(status);
        metrics.Add(obs::Metric::kS3Requests, {store::ToString(operation), code});
      }};
  return store::OpenStore(config.bucket, world);
}

// Discovery without entries, then a HEAD: what a start needs, asked before any work begins.
io::Task<Status> Probe(queen::Broker& broker, store::ObjectStore& store, const LakeConfig& config) {
  std::vector<queen::DiscoveryEntry> none;
  auto answered = co_await broker.Discover(std::move(none));
  if (!answered) {
    co_return Annotate(
        answered.error(),
        fmt::format("the broker at {} does not answer; check QUEEN_URL and QUEEN_TOKEN",
                    config.broker.url));
  }
  const std::string key = config.form.prefix + "/";
  auto found = co_await store.Head(key);
  if (!found) {
    co_return Annotate(found.error(),
                       fmt::format("the bucket {} at {} does not answer; check QUEEN_S3_ENDPOINT, "
                                   "QUEEN_S3_BUCKET and the keys",
                                   config.bucket.bucket,
                                   config.bucket.endpoint));
  }
  co_return Status();
}

io::Task<void> ServeThenStop(Process& process,
                             queen::Broker& broker,
                             store::ObjectStore& store,
                             const LakeConfig& config,
                             LakeService& service,
                             std::stop_token drain,
                             int& exit_code) {
  const Status probed = co_await Probe(broker, store, config);
  if (probed) {
    if (!co_await service.Run(drain, std::stop_token())) exit_code = kExitNotPrepared;
  } else {
    Complain(probed.error().message);
    exit_code = kExitUnreachable;
  }
  process.loop->Stop();
}

}  // namespace

int RunLakeProcess(const LakeConfig& config,
                   const std::string& version,
                   std::stop_token drain,
                   bool prepare_rollback) {
  UseOneHeap();
  Process process(config);
  fmt::print(stderr, "{}\n", BootLine(config, version));
  for (const auto& name : config.unknown_variables) {
    process.log.Warn("nobody reads this variable", {{"name", name}});
  }
  if (const Status refused = RefuseStaticPartitions(config); !refused) {
    Complain(refused.error().message);
    return kExitBadConfiguration;
  }
  const auto endpoints = StartStatusEndpoints(config.listen, process.metrics, process.health);
  if (!endpoints) {
    Complain(fmt::format("QUEEN_S3_LISTEN: {}", endpoints.error().message));
    return kExitCannotListen;
  }
  auto store = OpenBucket(process, config);
  if (!store) {
    Complain(store.error().message);
    return store.error().code == ErrorCode::kInvalidArgument ? kExitBadConfiguration
                                                             : kExitUnreachable;
  }
  queen::HttpBroker broker(*process.loop,
                           process.http,
                           *process.pool,
                           {.url = config.broker.url, .token = config.broker.token});
  ServiceOptions options = ServiceOptionsFrom(config, version);
  options.sink.prepare_rollback = prepare_rollback;
  const LakeWorld world{.loop = *process.loop,
                        .pool = *process.pool,
                        .broker = broker,
                        .store = **store,
                        .clock = process.clock,
                        .random = process.random};
  LakeService service({world, process.metrics, process.health, process.log}, std::move(options));
  int exit_code = kExitDrained;
  io::Spawn(*process.loop,
            ServeThenStop(process, broker, **store, config, service, drain, exit_code));
  process.loop->Run();
  return exit_code;
}

}  // namespace tidemark::lake

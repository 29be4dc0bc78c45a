#include "lake/service/lake_process.h"

#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <utility>

#include "lake/service/lake_service.h"
#include "lake/service/probe.h"
#include "lake/service/process_world.h"
#include "lake/service/status_endpoints.h"
#include "queen/sharing_broker.h"

namespace tidemark::lake {

namespace {

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
  sink.commit.names_are_files = config.bucket.IsDirectory();
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
// arena keeps megabytes of holes. Allocations are few and large, so nobody waits. The largest go
// back to the system at once (by itself the library keeps up to 32 MiB): what scans an answer's
// JSON takes four times its size in one piece.
void UseOneHeap() {
  constexpr int kOwnMappingBytes = 4 << 20;
  mallopt(M_ARENA_MAX, 1);
  mallopt(M_MMAP_THRESHOLD, kOwnMappingBytes);
}

// What a start needs, asked before any work begins.
io::Task<Status> Probe(queen::Broker& broker, store::ObjectStore& store, const LakeConfig& config) {
  TIDEMARK_CO_TRY_VOID(co_await ProbeBroker(broker, config));
  co_return co_await ProbeBucket(store, config);
}

// Far below what an idle queue and a lease wait anyway.
queen::SharingOptions SharingFor(const SinkOptions& sink) {
  constexpr io::Duration kDiscoveryMost = std::chrono::milliseconds(100);
  return {.discovery_interval = std::min(sink.discovery_interval / 20, kDiscoveryMost),
          .refresh_interval = sink.lease.ttl / 60};
}

io::Task<void> ServeThenStop(ProcessWorld& process,
                             io::Task<Status> probe,
                             LakeService& service,
                             std::stop_token drain,
                             int& exit_code) {
  const Status probed = co_await probe;
  if (probed) {
    if (!co_await service.Run(std::move(drain), std::stop_token())) exit_code = kExitNotPrepared;
  } else {
    Complain(probed.error().message);
    exit_code = kExitUnreachable;
  }
  process.loop->Stop();
}

}  // namespace

int ExitCodeOf(const Error& error) {
  return error.code == ErrorCode::kInvalidArgument ? kExitBadConfiguration : kExitUnreachable;
}

int RunLakeProcess(const LakeConfig& config,
                   const std::string& version,
                   std::stop_token drain,
                   bool prepare_rollback) {
  UseOneHeap();
  ProcessWorld process(config, version);
  fmt::print(stderr, "{}\n", BootLine(config, version));
  for (const auto& name : config.unknown_variables) {
    process.log.Warn("nobody reads this variable", {{"name", name}});
  }
  if (const Status refused = RefuseStaticPartitions(config); !refused) {
    Complain(refused.error().message);
    return kExitBadConfiguration;
  }
  const auto endpoints =
      StartStatusEndpoints(config.listen, process.metrics, process.health, process.board);
  if (!endpoints) {
    Complain(fmt::format("QUEEN_S3_LISTEN: {}", endpoints.error().message));
    return kExitCannotListen;
  }
  auto store = OpenBucket(process, config, drain);
  if (!store) {
    Complain(store.error().message);
    return ExitCodeOf(store.error());
  }
  queen::HttpBroker broker(*process.loop, process.http, *process.pool, BrokerOptions(config));
  ServiceOptions options = ServiceOptionsFrom(config, version);
  queen::SharingBroker shared(*process.loop, broker, SharingFor(options.sink));
  options.sink.prepare_rollback = prepare_rollback;
  const LakeWorld world = BorrowedBy(process, shared, **store);
  LakeService service({world, process.metrics, process.health, process.log, process.board},
                      std::move(options));
  int exit_code = kExitDrained;
  io::Spawn(
      *process.loop,
      ServeThenStop(process, Probe(broker, **store, config), service, std::move(drain), exit_code));
  process.loop->Run();
  return exit_code;
}

}  // namespace tidemark::lake

#include "lake/service/lake_check.h"

#include <fmt/format.h>

#include <cstdio>
#include <optional>
#include <string_view>
#include <vector>

#include "lake/config/effective_config.h"
#include "lake/service/lake_process.h"
#include "lake/service/probe.h"
#include "lake/service/process_world.h"
#include "lake/service/queue_outlook.h"
#include "lake/service/status_endpoints.h"

namespace tidemark::lake {

namespace {

class Check {
 public:
  Check(ProcessWorld& world,
        queen::Broker& broker,
        store::ObjectStore& store,
        const LakeConfig& config,
        const std::string& version)
      : world_(world), broker_(broker), store_(store), config_(config), version_(version) {}

  io::Task<void> Run() {
    co_await CheckBroker();
    co_await CheckBucket();
    if (faults_ == 0) co_await CheckQueues();
    CheckListen();
    world_.loop->Stop();
  }

  int faults() const { return faults_; }

  // What a start would end with; it listens before it asks broker or bucket.
  int exit_code() const {
    if (!can_listen_) return kExitCannotListen;
    return faults_ == 0 ? kExitDrained : kExitUnreachable;
  }

 private:
  void Line(std::string_view what, std::string_view outcome) {
    fmt::print("  {:<12} {}\n", what, outcome);
  }

  void Fault(std::string_view what, std::string_view reason) {
    ++faults_;
    Line(what, fmt::format("FAILS: {}", reason));
  }

  io::Task<void> CheckBroker();
  io::Task<void> CheckBucket();
  io::Task<void> CheckUpload();
  void CheckListen();
  io::Task<void> CheckQueues();
  io::Task<void> CheckQueue(std::string queue);

  ProcessWorld& world_;
  queen::Broker& broker_;
  store::ObjectStore& store_;
  const LakeConfig& config_;
  const std::string& version_;
  int faults_ = 0;
  bool can_listen_ = true;
};

io::Task<void> Check::CheckBroker() {
  fmt::print("\nbroker {}\n", config_.broker.url);
  auto answer = co_await ProbeBroker(broker_, config_);
  if (!answer) {
    Fault("discovery", answer.error().message);
    co_return;
  }
  const std::int64_t behind_ms = (world_.clock.Now() - answer->safe_time) / kMicrosPerMilli;
  Line("discovery",
       fmt::format(
           "ok: safe time {}, {} ms behind this clock{}",
           FormatIso(answer->safe_time),
           behind_ms,
           answer->safe_time_degraded ? "; degraded, windows close later than they could" : ""));
  const Status kv = co_await TryKv(broker_, config_);
  if (kv) {
    Line("kv", "ok: wrote, read and deleted a row");
  } else {
    Fault("kv", kv.error().message);
  }
}

io::Task<void> Check::CheckBucket() {
  fmt::print("\nbucket {} at {}, prefix {}\n",
             config_.bucket.bucket,
             config_.bucket.endpoint,
             config_.form.prefix);
  const auto trial = co_await TryBucket(store_, config_, world_.random);
  if (!trial) {
    Fault("objects",
          fmt::format("{}; check QUEEN_S3_ENDPOINT, QUEEN_S3_BUCKET, the keys and their policy",
                      trial.error().message));
    co_return;
  }
  Line("objects", fmt::format("ok: put, head, get, list of {}", trial->key));
  Line("delete",
       trial->deleted ? std::string("ok")
                      : fmt::format("refused, so old checkpoints will pile up, and that object "
                                    "stays: {}",
                                    trial->deleted.error().message));
  if (!config_.bucket.IsDirectory()) co_await CheckUpload();
}

// What large windows are written with.
io::Task<void> Check::CheckUpload() {
  const auto trial = co_await TryUpload(store_, config_, world_.random);
  if (!trial) {
    Fault("multipart", trial.error().message);
    co_return;
  }
  Line("multipart", fmt::format("ok: began an upload of {} and sent a part", trial->key));
  constexpr std::string_view kLeftovers =
      "refused, so parts of uploads that failed stay, and are paid for: {}";
  Line("abort", trial->aborted ? "ok" : fmt::format(kLeftovers, trial->aborted.error().message));
  Line("list parts", trial->listed ? "ok" : fmt::format(kLeftovers, trial->listed.error().message));
}

void Check::CheckListen() {
  fmt::print("\nlisten {}\n", config_.listen.ToString());
  const auto server =
      StartStatusEndpoints(config_.listen, world_.metrics, world_.health, world_.board);
  can_listen_ = server.has_value();
  if (can_listen_) return Line("address", "free");
  Fault("address",
        fmt::format("{}; stop what listens there, a lake that runs perhaps, or set QUEEN_S3_LISTEN",
                    server.error().message));
}

io::Task<void> Check::CheckQueues() {
  std::vector<std::string> queues = config_.queues;
  if (config_.all_queues) {
    auto listed = co_await broker_.ListQueues();
    if (!listed) {
      Fault("queues", listed.error().message);
      co_return;
    }
    queues = std::move(*listed);
  }
  fmt::print("\nqueues: {}\n", queues.size());
  for (const auto& queue : queues) co_await CheckQueue(queue);
}

io::Task<void> Check::CheckQueue(std::string queue) {
  const LakeWorld world = BorrowedBy(world_, broker_, store_);
  CommitOptions commit{.sink = config_.sink,
                       .queue = queue,
                       .version = version_,
                       .form = config_.form,
                       .names_are_files = config_.bucket.IsDirectory()};
  LeaseOptions lease{.sink = config_.sink,
                     .queue = queue,
                     .instance = config_.instance,
                     .ttl = std::chrono::milliseconds(config_.lease_ttl_ms)};
  const auto outlook =
      co_await LookAhead(world, std::move(commit), std::move(lease), config_.start);
  if (!outlook.next.empty()) Line(queue, outlook.next);
  if (!outlook.lease.empty()) Line("", "lease: " + outlook.lease);
  if (!outlook.note.empty()) Line("", "NOTE: " + outlook.note);
  if (!outlook.fault.empty()) Fault(queue, outlook.fault);
}

}  // namespace

int RunLakeCheck(const LakeConfig& config,
                 const Environment& environment,
                 const std::string& version) {
  fmt::print("configuration of queen-s3 {}\n{}", version, EffectiveConfig(environment, config));
  for (const auto& name : config.unknown_variables) {
    fmt::print("  {:<32} nobody reads this variable\n", name);
  }
  if (const Status refused = RefuseStaticPartitions(config); !refused) {
    Complain(refused.error().message);
    return kExitBadConfiguration;
  }
  ProcessWorld world(config, version);
  auto store = OpenBucket(world, config, std::nullopt);
  if (!store) {
    Complain(store.error().message);
    return ExitCodeOf(store.error());
  }
  queen::HttpBroker broker(*world.loop, world.http, *world.pool, BrokerOptions(config));
  Check check(world, broker, **store, config, version);
  io::Spawn(*world.loop, check.Run());
  world.loop->Run();
  fmt::print("\n{}\n",
             check.faults() == 0 ? "ready: a start would run"
                                 : fmt::format("not ready: {} fault(s)", check.faults()));
  return check.exit_code();
}

}  // namespace tidemark::lake

#include "edge/pipeline_process.h"

#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <thread>

#include "base/check.h"
#include "edge/absolute_paths.h"
#include "edge/exit_code.h"
#include "edge/pipeline.h"
#include "edge/status_endpoints.h"
#include "io/file_system.h"
#include "io/socket_address.h"
#include "obs/log.h"

namespace tidemark::edge {

namespace {

void Complain(std::string_view sentence) { fmt::print(stderr, "tidemark run: {}\n", sentence); }

// Buffers of a megabyte come and go with every batch of records: one heap keeps them, or the system
// would take them back and clear them anew each time. What is far larger goes back at once.
void KeepBuffers() {
  mallopt(M_ARENA_MAX, 1);
  mallopt(M_MMAP_THRESHOLD, 8 << 20);
  mallopt(M_TRIM_THRESHOLD, 16 << 20);
}

// Declared in the order in which things need each other.
struct Process {
  Process()
      : log(clock, {.target = "tidemark", .level = obs::Level::kInfo}, obs::StderrSink()),
        loop(io::NewThreadLoop()),
        work_pool(
            io::NewWorkerPool(static_cast<int>(std::max(1U, std::thread::hardware_concurrency())))),
        wal_pool(io::NewWorkerPool(1)) {}

  io::SystemClock clock;
  obs::Log log;
  obs::Metrics metrics{obs::Wing::kEdge};
  io::PosixFileSystem files;
  std::unique_ptr<io::Loop> loop;
  std::unique_ptr<io::WorkerPool> work_pool;
  std::unique_ptr<io::WorkerPool> wal_pool;
};

io::Task<void> RunThenStop(Process& process, Pipeline& pipeline, std::stop_token drain, int& code) {
  const Status ended = co_await pipeline.Run(std::move(drain));
  if (!ended) {
    Complain(ended.error().message);
    code = ended.error().code == ErrorCode::kCorruption ? kExitDamaged : kExitFailed;
  }
  process.loop->Stop();
}

void TellResult(const PipelineStatus& status) {
  for (const SinkReport& sink : status.sinks) {
    std::int64_t rejects = 0;
    for (const auto& [reason, count] : sink.status.counters.rejects) rejects += count;
    fmt::print(stderr,
               "sink {}: {} rows in {} segments, {} rejects, watermark {}\n",
               sink.id,
               sink.status.counters.rows,
               sink.status.counters.files,
               rejects,
               sink.status.watermark.value());
  }
}

}  // namespace

int RunPipelineProcess(const PipelineConfig& given,
                       const std::string& version,
                       io::Failpoint crash_at,
                       std::stop_token drain) {
  KeepBuffers();
  const PipelineConfig config = WithAbsolutePaths(given);
  // What the program cannot keep is refused before anything is touched.
  const auto refused = RefusedByRun(config);
  for (const std::string& sentence : refused) Complain(sentence);
  if (!refused.empty()) return kExitBadConfiguration;
  const auto address = io::ParseSocketAddress(config.listen);
  TIDEMARK_CHECK(address.has_value(), "listen");
  Process process;
  for (const std::string& warning : config.warnings) process.log.Warn(warning);
  if (config.wal.sync == "none") {
    process.log.Warn("wal.sync is none: a power loss takes records that were acknowledged");
  }
  fmt::print(stderr,
             "tidemark {} runs node {}, data in {}, config_hash {}\n",
             version,
             config.node_id,
             config.data_dir,
             config.config_hash);
  // Before anything is opened: a second start, or a foreign program at the address, changes
  // nothing.
  const auto endpoints = StatusEndpoints::Listen(*address,
                                                 *process.loop,
                                                 process.metrics,
                                                 {.version = version,
                                                  .node_id = config.node_id,
                                                  .data_dir = config.data_dir,
                                                  .config_hash = config.config_hash,
                                                  .started_at = process.clock.Now()});
  if (!endpoints) {
    Complain(fmt::format("listen: {}", endpoints.error().message));
    return kExitFailed;
  }
  auto pipeline = Pipeline::Open(
      config,
      {.version = version, .crash_at = crash_at, .stop = drain},
      {.files = process.files,
       .clock = process.clock,
       .loop = *process.loop,
       .work_pool = *process.work_pool,
       .wal_pool = *process.wal_pool,
       .note = [&process](const std::string& sentence) { process.log.Warn(sentence); },
       .metrics = process.metrics});
  if (!pipeline) {
    Complain(pipeline.error().message);
    // Nothing was taken in yet that could be drained.
    const bool told = pipeline.error().code == ErrorCode::kCancelled && drain.stop_requested();
    return told ? kExitDone : ExitCodeOf(pipeline.error());
  }
  (*endpoints)->Serve(**pipeline);
  int code = kExitDone;
  io::Spawn(*process.loop, RunThenStop(process, **pipeline, std::move(drain), code));
  process.loop->Run();
  (*endpoints)->Stop();
  TellResult((*pipeline)->status());
  return code;
}

}  // namespace tidemark::edge

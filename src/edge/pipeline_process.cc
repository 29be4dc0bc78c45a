#include "edge/pipeline_process.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <thread>

#include "base/check.h"
#include "edge/pipeline.h"
#include "io/file_system.h"
#include "io/http_server.h"
#include "io/socket_address.h"
#include "obs/log.h"

namespace tidemark::edge {

namespace {

void Complain(std::string_view sentence) { fmt::print(stderr, "tidemark run: {}\n", sentence); }

// Paths as the process will use them, wherever it was started.
PipelineConfig WithAbsolutePaths(PipelineConfig config) {
  config.data_dir = std::filesystem::absolute(config.data_dir).lexically_normal();
  while (config.data_dir.size() > 1 && config.data_dir.ends_with('/')) config.data_dir.pop_back();
  for (SourceConfig& source : config.sources) {
    for (std::string& path : source.paths) path = std::filesystem::absolute(path);
    if (!source.token_file.empty())
      source.token_file = std::filesystem::absolute(source.token_file);
  }
  return config;
}

// What the program cannot keep is refused before anything is touched.
bool Refused(const PipelineConfig& config) {
  const auto missing = NotBuilt(config);
  for (const std::string& sentence : missing) Complain(sentence);
  std::int64_t memory = 0;
  for (const PlanLine& line : MemoryPlan(config)) memory += line.bytes;
  const bool fits = memory <= config.memory_bytes;
  if (!fits) {
    Complain(
        fmt::format("`memory` is {} bytes, and what the file asks for may take {}: see the plan "
                    "that `tidemark validate` prints",
                    config.memory_bytes,
                    memory));
  }
  return !missing.empty() || !fits;
}

io::HttpServerResponse AnswerOf(const std::string& method,
                                const std::string& path,
                                const PipelineStatus& status) {
  if (method != "GET" && method != "HEAD") {
    return {.status = 405, .headers = {{"Allow", "GET, HEAD"}}, .body = ""};
  }
  if (path == "/metrics") {
    return {.status = 200,
            .headers = {{"Content-Type", "text/plain; version=0.0.4; charset=utf-8"}},
            .body = MetricsText(status)};
  }
  if (path == "/healthz") {
    HealthReport health = HealthOf(status);
    return {.status = health.status,
            .headers = {{"Content-Type", "application/json"}},
            .body = std::move(health.body)};
  }
  return {.status = 404,
          .headers = {{"Content-Type", "text/plain"}},
          .body = "here are /metrics and /healthz\n"};
}

// Requests are answered on the loop, where the pipeline's state belongs.
Result<std::unique_ptr<io::HttpServer>> Listen(const io::SocketAddress& address,
                                               io::Loop& loop,
                                               const Pipeline& pipeline) {
  io::HttpServerOptions options;
  options.host = address.host;
  options.port = address.port;
  return io::StartHttpServer(
      std::move(options),
      [&loop, &pipeline](io::HttpServerRequest request, io::HttpResponder responder) {
        loop.Post(
            [&pipeline, request = std::move(request), responder = std::move(responder)]() mutable {
              responder.Send(AnswerOf(request.method, request.path, pipeline.status()));
            });
      });
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
  io::PosixFileSystem files;
  std::unique_ptr<io::Loop> loop;
  std::unique_ptr<io::WorkerPool> work_pool;
  std::unique_ptr<io::WorkerPool> wal_pool;
};

int ExitCodeOf(const Error& error) {
  switch (error.code) {
    case ErrorCode::kInvalidArgument:
      return kExitBadConfiguration;
    case ErrorCode::kCorruption:
      return kExitDamaged;
    case ErrorCode::kPreconditionFailed:
      return kExitSchemaRefused;
    default:
      return kExitFailed;
  }
}

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
  const PipelineConfig config = WithAbsolutePaths(given);
  if (Refused(config)) return kExitBadConfiguration;
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
  auto pipeline = Pipeline::Open(
      config,
      {.version = version, .crash_at = crash_at},
      {.files = process.files,
       .clock = process.clock,
       .loop = *process.loop,
       .work_pool = *process.work_pool,
       .wal_pool = *process.wal_pool,
       .note = [&process](const std::string& sentence) { process.log.Warn(sentence); }});
  if (!pipeline) {
    Complain(pipeline.error().message);
    return ExitCodeOf(pipeline.error());
  }
  auto server = Listen(*address, *process.loop, **pipeline);
  if (!server) {
    Complain(fmt::format("listen: {}", server.error().message));
    return kExitFailed;
  }
  int code = kExitDone;
  io::Spawn(*process.loop, RunThenStop(process, **pipeline, std::move(drain), code));
  process.loop->Run();
  (*server)->Stop();
  TellResult((*pipeline)->status());
  return code;
}

}  // namespace tidemark::edge

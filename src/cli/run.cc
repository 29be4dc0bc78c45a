#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "edge/config/pipeline_config.h"
#include "edge/pipeline_process.h"
#include "io/stop_signals.h"

namespace tidemark::cli {

namespace {

constexpr const char* kDescription =
    "Takes events in as a pipeline file says, keeps them in a write-ahead log, maps them to data "
    "sets and\n"
    "writes Parquet segments that are each in ready/ exactly once.\n\n"
    "  tidemark validate pipeline.yaml && tidemark run pipeline.yaml\n";

constexpr const char* kFooter =
    "\nGET /metrics and /healthz on the file's `listen`. A run whose sources all end (files that "
    "are "
    "not followed)\n"
    "finalizes everything and ends. SIGTERM or SIGINT drains; a second one ends it at once: "
    "nothing "
    "that was\n"
    "acknowledged is lost either way. Exit codes: 0 done, 1 failed while running, 2 usage or "
    "configuration,\n"
    "3 damaged state, 4 a schema that its data set may not change to.\n";

// TIDEMARK_CRASH_AT, for tests; false when it names no point.
bool ReadCrashPoint(io::Failpoint& point) {
  const char* const name = std::getenv("TIDEMARK_CRASH_AT");
  if (name == nullptr || *name == '\0') return true;
  std::string known;
  for (const auto& [text, value] : io::SegmentFailpoints()) {
    if (text == name) {
      point = value;
      return true;
    }
    known += fmt::format(" {}", text);
  }
  fmt::print(stderr, "tidemark run: TIDEMARK_CRASH_AT \"{}\" is none of{}\n", name, known);
  return false;
}

}  // namespace

int RunPipelineFile(int argc, char** argv) {
  std::string path;
  CLI::App app(kDescription, "tidemark run");
  app.footer(kFooter);
  app.add_option("PIPELINE", path, "The pipeline file")->required();
  if (const auto exit_code = ParseArguments(app, argc, argv)) return *exit_code;
  const auto config = edge::LoadPipeline(path);
  if (!config) {
    fmt::print(stderr, "{}\n", config.error().message);
    return kExitUsage;
  }
  io::Failpoint crash_at = io::Failpoint::kNever;
  if (!ReadCrashPoint(crash_at)) return kExitUsage;
  const io::StopSignals signals;
  return edge::RunPipelineProcess(*config, TIDEMARK_VERSION, crash_at, signals.token());
}

}  // namespace tidemark::cli

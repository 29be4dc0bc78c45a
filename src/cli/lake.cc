#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "io/stop_signals.h"
#include "lake/config/config_reference.h"
#include "lake/service/lake_check.h"
#include "lake/service/lake_process.h"

namespace tidemark::cli {

namespace {

constexpr const char* kDescription =
    "Mirrors the log of a Queen broker's queues into an object store, in windows that exist "
    "exactly\n"
    "once. Configured by the environment alone (docs/configuration.md); the least:\n\n"
    "  QUEEN_URL=http://localhost:6632 QUEEN_S3_QUEUES=orders \\\n"
    "  QUEEN_S3_ENDPOINT=file:///var/lib/lake tidemark lake\n\n"
    "With a bucket: QUEEN_S3_ENDPOINT=https://..., QUEEN_S3_REGION, QUEEN_S3_BUCKET,\n"
    "QUEEN_S3_ACCESS_KEY, QUEEN_S3_SECRET_KEY. QUEEN_S3_FORMAT=parquet writes Parquet;\n"
    "QUEEN_S3_START=earliest begins with the whole log.\n";

constexpr const char* kFooter =
    "\nQUEEN_S3_LISTEN (127.0.0.1:9333) serves a status page at /, and /metrics and /healthz. "
    "SIGTERM or\n"
    "SIGINT finishes what is worth it and ends; a second one ends it at once: nothing is lost "
    "either way.\n"
    "Exit codes: 0 drained (--check: ready), 1 cannot listen, 2 bad configuration, 3 broker or "
    "bucket\n"
    "unreachable (--check: or they do not fit each other).\n";

}  // namespace

int RunLake(int argc, char** argv) {
  CLI::App app(kDescription, "tidemark lake");
  app.footer(kFooter);
  bool prepare_rollback = false;
  app.add_flag("--prepare-rollback",
               prepare_rollback,
               "finish pending windows, rewrite the broker's documents as queen-s3 1.5.0 reads "
               "them, and end");
  bool check = false;
  app.add_flag(
      "--check",
      check,
      "print the configuration in effect, try broker and bucket, say what a start would do "
      "with each queue, and end");
  bool print_reference = false;
  app.add_flag("--print-config-reference",
               print_reference,
               "print docs/configuration.md: every variable, its default and what it does");
  if (const auto exit_code = ParseArguments(app, argc, argv)) return *exit_code;
  if (print_reference) {
    fmt::print("{}", lake::ConfigReference());
    return 0;
  }

  io::SystemRandom random;
  const auto environment = lake::ProcessEnvironment();
  const auto config = lake::ParseLakeConfig(environment, random);
  if (!config) {
    fmt::print(stderr, "queen-s3: {}\n", config.error().message);
    return kExitUsage;
  }
  if (check) return lake::RunLakeCheck(*config, environment, TIDEMARK_VERSION);
  const io::StopSignals signals;
  return lake::RunLakeProcess(*config, TIDEMARK_VERSION, signals.token(), prepare_rollback);
}

}  // namespace tidemark::cli

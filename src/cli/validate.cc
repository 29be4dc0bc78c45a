#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>

#include "cli/commands.h"
#include "edge/config/pipeline_config.h"
#include "edge/config/validation_report.h"

namespace tidemark::cli {

namespace {

constexpr const char* kDescription =
    "Reads a pipeline file as `tidemark run` would and prints what it means: the configuration "
    "with\n"
    "its defaults, the schema of every data set with its field ids, what it may take of memory "
    "and\n"
    "disk, and the config_hash that segments carry.\n\n"
    "  tidemark validate pipeline.yaml\n"
    "  tidemark validate pipeline.yaml --json | jq .config_hash\n";

constexpr const char* kFooter =
    "\nExit codes: 0 the file is right (what `run` does not do yet is named), 2 it is not: one "
    "line a "
    "fault on\nstandard error, `file:line: what`.\n";

}  // namespace

int RunValidate(int argc, char** argv) {
  std::string path;
  bool json = false;
  CLI::App app(kDescription, "tidemark validate");
  app.footer(kFooter);
  app.add_option("PIPELINE", path, "The pipeline file")->required();
  app.add_flag("--json", json, "One JSON object in place of text");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kExitOk : kExitUsage;
  }
  const auto config = edge::LoadPipeline(path);
  if (!config) {
    fmt::print(stderr, "{}\n", config.error().message);
    return kExitUsage;
  }
  fmt::print("{}", json ? edge::ValidationJson(*config) : edge::ValidationText(*config));
  return kExitOk;
}

}  // namespace tidemark::cli

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "edge/absolute_paths.h"
#include "edge/config/pipeline_config.h"
#include "edge/config/pipeline_schema.h"
#include "edge/config/validation_report.h"
#include "edge/state_check.h"
#include "io/file_system.h"

namespace tidemark::cli {

namespace {

constexpr const char* kDescription =
    "Reads a pipeline file as `tidemark run` would and prints what it means: the configuration "
    "with\n"
    "its defaults, the schema of every data set with its field ids, what it may take of memory "
    "and\n"
    "disk, and the config_hash that segments carry. Then opens what a start would open, read-only "
    "and\n"
    "beside a running program: write-ahead log, catalogs, schemas, token files.\n\n"
    "  tidemark validate pipeline.yaml\n"
    "  tidemark validate --file-only pipeline.yaml     # of a file for another machine\n"
    "  tidemark validate pipeline.yaml --json | jq .config_hash\n"
    "  tidemark validate --print-schema > pipeline.schema.json\n";

constexpr const char* kFooter =
    "\nExit codes are those that `run` would end with: 0 a start would go on, 2 the file is not "
    "right or asks for what\n`run` refuses, 3 damaged state, 4 a schema that its data set may not "
    "change to, 1 anything else. Each fault is a\nline on standard error, of the file as "
    "`file:line: what`.\n";

}  // namespace

int RunValidate(int argc, char** argv) {
  std::string path;
  bool json = false;
  bool file_only = false;
  bool print_schema = false;
  CLI::App app(kDescription, "tidemark validate");
  app.footer(kFooter);
  app.add_option("PIPELINE", path, "The pipeline file");
  app.add_flag("--json", json, "One JSON object in place of text");
  app.add_flag("--file-only", file_only, "Looks at nothing but the file itself");
  app.add_flag("--print-schema", print_schema, "Prints the file's JSON Schema, for editors");
  if (const auto exit_code = ParseArguments(app, argc, argv)) return *exit_code;
  if (print_schema) {
    fmt::print("{}", edge::PipelineSchemaText());
    return kExitOk;
  }
  if (path.empty()) {
    fmt::print(stderr, "tidemark validate: the pipeline file is missing; see --help\n");
    return kExitUsage;
  }
  const auto config = edge::LoadPipeline(path);
  if (!config) {
    fmt::print(stderr, "{}\n", config.error().message);
    return kExitUsage;
  }
  edge::StateReport state;
  if (!file_only) {
    io::PosixFileSystem files;
    state = edge::CheckState(edge::WithAbsolutePaths(*config), files);
  }
  const auto* const shown = file_only ? nullptr : &state;
  fmt::print("{}",
             json ? edge::ValidationJson(*config, shown) : edge::ValidationText(*config, shown));
  const auto refused = edge::RefusedByRun(*config);
  for (const std::string& sentence : refused) fmt::print(stderr, "{}\n", sentence);
  for (const std::string& fault : state.faults) fmt::print(stderr, "{}\n", fault);
  return refused.empty() ? state.exit_code : kExitUsage;
}

}  // namespace tidemark::cli

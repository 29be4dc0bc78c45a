#include "verify/inspect.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/lake_reader.h"

namespace tidemark::cli {

namespace {

constexpr const char* kDescription =
    "Prints what one object of a lake holds: a data object, a manifest, a checkpoint; or what the\n"
    "data sets of a sink did not take.\n\n"
    "  tidemark inspect ./lake/queen/_queen/flights/windows/0000000001.json\n"
    "  tidemark inspect --lake s3://my-lake "
    "queen/queue=orders/dt=2026-09-04/hour=10/w-….jsonl.zst\n"
    "  tidemark inspect --rows 3 some-copy.parquet\n"
    "  tidemark inspect data/sinks/local/quarantine/rejects.log\n";

constexpr const char* kFooter =
    "\nWhat it is, is told by the end of its name: .jsonl[.zst|.gz], .parquet: rows; .json: a "
    "manifest or another\n"
    "sidecar; .json.zst: a checkpoint; rejects.log. Exit codes: 0 shown, 1 not there, damaged or "
    "not readable, "
    "2 "
    "usage.\n";

struct Arguments {
  std::string key;
  std::string lake;
  std::int64_t rows = 10;
};

int Complain(const std::string& message, int exit_code) {
  fmt::print(stderr, "tidemark inspect: {}\n", message);
  return exit_code;
}

int Show(const Arguments& arguments, std::string_view bytes) {
  const auto text = verify::Inspect(arguments.key, bytes, arguments.rows);
  if (!text) {
    return Complain(text.error().message,
                    text.error().code == ErrorCode::kInvalidArgument ? kExitUsage : kExitFailed);
  }
  fmt::print("{}", *text);
  return kExitOk;
}

int ShowFile(const Arguments& arguments) {
  std::ifstream file(arguments.key, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (!file.good()) return Complain(arguments.key + ": cannot be read", kExitFailed);
  return Show(arguments, bytes);
}

int ShowObject(const Arguments& arguments) {
  auto reader = LakeReader::Open(arguments.lake);
  if (!reader) {
    return Complain(fmt::format("no file \"{}\", and no lake to look for it: {}",
                                arguments.key,
                                reader.error().message),
                    kExitUsage);
  }
  const auto bytes = (*reader)->Run((*reader)->store().Get(arguments.key));
  if (!bytes) return Complain(bytes.error().message, kExitFailed);
  if (!*bytes) {
    return Complain(fmt::format("no object \"{}\" in {}", arguments.key, (*reader)->words()),
                    kExitFailed);
  }
  return Show(arguments, **bytes);
}

}  // namespace

int RunInspect(int argc, char** argv) {
  Arguments arguments;
  CLI::App app(kDescription, "tidemark inspect");
  app.footer(kFooter);
  app.add_option("KEY", arguments.key, "A file, or else an object's whole key in the lake")
      ->required();
  app.add_option("--lake", arguments.lake, kLakeArgumentHelp);
  app.add_option("--rows", arguments.rows, "Rows, positions or objects to show")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  if (const auto exit_code = ParseArguments(app, argc, argv)) return *exit_code;
  std::error_code ignored;
  const bool is_file =
      arguments.lake.empty() && std::filesystem::is_regular_file(arguments.key, ignored);
  return is_file ? ShowFile(arguments) : ShowObject(arguments);
}

}  // namespace tidemark::cli

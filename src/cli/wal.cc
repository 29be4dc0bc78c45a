#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <string>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "edge/config/pipeline_config.h"
#include "edge/wal/log_scan.h"
#include "edge/wal/log_walk.h"
#include "edge/wal/repair.h"
#include "io/file_system.h"

namespace tidemark::cli {

namespace {

constexpr const char* kDescription =
    "Looks into the write-ahead log of `tidemark run`, and repairs a damaged one.\n\n"
    "  tidemark wal fsck pipeline.yaml\n"
    "  tidemark wal dump pipeline.yaml --from 4711 --limit 10\n"
    "  tidemark wal repair --data /var/lib/tidemark\n";

constexpr const char* kFooter =
    "\nfsck and dump change nothing and may run beside `tidemark run`; what it is just writing "
    "then "
    "looks torn.\n"
    "repair needs it stopped: it keeps every record that is whole, sets the damaged bytes aside in "
    "files and notes\n"
    "the positions that are lost. Exit codes: 0 whole, 1 not readable, 2 usage, 3 damaged.\n";

struct Arguments {
  std::string data;
  std::string pipeline;
  std::int64_t from = 1;
  std::int64_t limit = INT64_MAX;
};

int Complain(const Error& error) {
  fmt::print(stderr, "tidemark wal: {}\n", error.message);
  return error.code == ErrorCode::kCorruption ? kExitDamaged : kExitFailed;
}

Result<std::string> LogFolder(const Arguments& arguments) {
  std::string data = arguments.data;
  if (!arguments.pipeline.empty()) {
    TIDEMARK_TRY(const auto config, edge::LoadPipeline(arguments.pipeline));
    data = config.data_dir;
  }
  if (data.empty()) {
    return Fail(ErrorCode::kInvalidArgument,
                "tidemark wal: the pipeline file, or --data with the folder it calls data_dir, is "
                "missing");
  }
  return std::filesystem::absolute(data) / "wal";
}

// A mistyped folder must not pass for a log without records.
Result<edge::LogScan> Scan(io::FileSystem& files, const std::string& folder) {
  TIDEMARK_TRY(edge::LogScan scan, edge::ScanLog(files, folder));
  if (scan.epoch) return scan;
  return Fail(ErrorCode::kNotFound, fmt::format("{}: no write-ahead log", folder));
}

int Fsck(const std::string& folder) {
  io::PosixFileSystem files;
  const auto scan = Scan(files, folder);
  if (!scan) return Complain(scan.error());
  fmt::print("{}", edge::ScanText(folder, *scan));
  return scan->damage.empty() ? kExitOk : kExitDamaged;
}

int Dump(const std::string& folder, const Arguments& arguments) {
  io::PosixFileSystem files;
  const auto scan = Scan(files, folder);
  if (!scan) return Complain(scan.error());
  std::int64_t left = arguments.limit;
  const auto print = [&](const format::WalRecord& record) {
    if (left-- <= 0) return false;
    const std::string line = edge::RecordLine(record);
    return std::fwrite(line.data(), 1, line.size(), stdout) == line.size();
  };
  const Status walked = edge::WalkRecords(files, *scan, Position(arguments.from), print);
  if (!walked) return Complain(walked.error());
  for (const auto& damage : scan->damage) {
    fmt::print(stderr, "tidemark wal: {}\n", edge::Describe(damage));
  }
  return scan->damage.empty() ? kExitOk : kExitDamaged;
}

int Repair(const std::string& folder) {
  io::PosixFileSystem files;
  if (const auto scan = Scan(files, folder); !scan) return Complain(scan.error());
  const auto report = edge::RepairLog(files, folder);
  if (!report) return Complain(report.error());
  if (report->steps.empty()) fmt::print("{}: nothing is damaged\n", folder);
  for (const std::string& step : report->steps) fmt::print("{}\n", step);
  return kExitOk;
}

}  // namespace

int RunWal(int argc, char** argv) {
  Arguments arguments;
  CLI::App app(kDescription, "tidemark wal");
  app.footer(kFooter);
  app.require_subcommand(1);
  CLI::App* const fsck = app.add_subcommand("fsck", "Checks every record and says what is there");
  CLI::App* const dump = app.add_subcommand("dump", "Prints records as JSON lines");
  CLI::App* const repair = app.add_subcommand("repair", "Makes a damaged log one that opens");
  for (CLI::App* const command : {fsck, dump, repair}) {
    CLI::Option* const pipeline =
        command->add_option("PIPELINE", arguments.pipeline, "The pipeline file whose log is meant");
    command->add_option("--data", arguments.data, "In its place: the folder it calls data_dir")
        ->excludes(pipeline);
  }
  dump->add_option("--from", arguments.from, "First position to print")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  dump->add_option("--limit", arguments.limit, "Records to print at most")
      ->check(CLI::NonNegativeNumber);
  if (const auto exit_code = ParseArguments(app, argc, argv)) return *exit_code;
  const auto folder = LogFolder(arguments);
  if (!folder) {
    fmt::print(stderr, "{}\n", folder.error().message);
    return kExitUsage;
  }
  if (fsck->parsed()) return Fsck(*folder);
  return dump->parsed() ? Dump(*folder, arguments) : Repair(*folder);
}

}  // namespace tidemark::cli

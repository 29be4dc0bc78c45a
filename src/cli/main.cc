#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "cli/commands.h"

namespace {

struct Command {
  std::string_view name;
  std::string_view summary;
  int (*run)(int argc, char** argv);
};

constexpr Command kCommands[] = {
    {"broker", "a Queen-compatible broker in one folder", tidemark::cli::RunBroker},
    {"lake", "mirrors a broker's queues into a lake, window by window", tidemark::cli::RunLake},
    {"verify", "proves a lake complete, or names what is wrong with it", tidemark::cli::RunVerify},
    {"wal", "looks into a write-ahead log, and repairs a damaged one", tidemark::cli::RunWal},
    {"run",
     "takes events in and writes Parquet segments, as a pipeline file says",
     tidemark::cli::RunPipelineFile},
    {"validate", "checks a pipeline file and prints what it means", tidemark::cli::RunValidate},
    {"inspect", "prints what one object of a lake holds", tidemark::cli::RunInspect},
};

void PrintHelp() {
  fmt::print(
      "tidemark {}: event streams into lake files, exactly once, with the same bytes every time\n\n"
      "usage: tidemark <command> [arguments]\n\ncommands:\n",
      TIDEMARK_VERSION);
  for (const auto& command : kCommands) fmt::print("  {:<10} {}\n", command.name, command.summary);
  fmt::print("\n`tidemark <command> --help` explains each.\n");
}

int Dispatch(std::string_view name, int argc, char** argv) {
  for (const auto& command : kCommands) {
    if (command.name == name) return command.run(argc, argv);
  }
  fmt::print(stderr, "tidemark: \"{}\" is not a command; `tidemark --help` lists them\n", name);
  return tidemark::cli::kExitUsage;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string program = std::filesystem::path(argv[0]).filename();
  if (program == "queen-s3") return Dispatch("lake", argc, argv);
  if (program == "thadam") return Dispatch("run", argc, argv);
  if (argc < 2 || std::string_view(argv[1]) == "--help" || std::string_view(argv[1]) == "-h") {
    PrintHelp();
    return argc < 2 ? tidemark::cli::kExitUsage : tidemark::cli::kExitOk;
  }
  if (std::string_view(argv[1]) == "--version") {
    fmt::print("tidemark {}\n", TIDEMARK_VERSION);
    return tidemark::cli::kExitOk;
  }
  return Dispatch(argv[1], argc - 1, argv + 1);
}

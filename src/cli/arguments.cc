#include "cli/arguments.h"

#include "cli/commands.h"

namespace tidemark::cli {

std::optional<int> ParseArguments(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kExitOk : kExitUsage;
  }
  return std::nullopt;
}

}  // namespace tidemark::cli

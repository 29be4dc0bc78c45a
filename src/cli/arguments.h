#pragma once

#include <CLI/CLI.hpp>
#include <optional>

namespace tidemark::cli {

// Fills what the options of `app` are bound to. An exit code: end with it, help or what is wrong
// with the arguments has been printed.
std::optional<int> ParseArguments(CLI::App& app, int argc, char** argv);

}  // namespace tidemark::cli

#pragma once

// The subcommands. Each parses its own arguments, builds, runs, stops; exit codes: 0 done, 1 failed
// (verify: holes or damage), 2 usage or configuration, and those its --help names.

namespace tidemark::cli {

inline constexpr int kExitOk = 0;
inline constexpr int kExitFailed = 1;
inline constexpr int kExitUsage = 2;
inline constexpr int kExitDamaged = 3;  // of state: a start would stop here too

// argv[0] is the subcommand's name.
int RunBroker(int argc, char** argv);
int RunLake(int argc, char** argv);
int RunVerify(int argc, char** argv);
int RunInspect(int argc, char** argv);
int RunWal(int argc, char** argv);
int RunPipelineFile(int argc, char** argv);
int RunValidate(int argc, char** argv);

}  // namespace tidemark::cli

#pragma once
// A lake as a process: everything a configuration names, built, probed, served and stopped, in the
// boot order of queen-interface 12.

#include <stop_token>
#include <string>

#include "lake/config/lake_config.h"

namespace tidemark::lake {

inline constexpr int kExitDrained = 0;
inline constexpr int kExitCannotListen = 1;
inline constexpr int kExitNotPrepared = 1;
inline constexpr int kExitBadConfiguration = 2;
inline constexpr int kExitUnreachable = 3;

// Of a bucket that cannot be opened.
int ExitCodeOf(const Error& error);

// Blocks until `drain` is requested and everything has ended; returns the exit code. Reasons go to
// stderr, each line beginning with `queen-s3: `.
// With `prepare_rollback`: every queue's pending window is finished, its pointers are rewritten for
// queen-s3 1.5.0, and the process ends (1 when a queue could not be prepared).
int RunLakeProcess(const LakeConfig& config,
                   const std::string& version,
                   std::stop_token drain,
                   bool prepare_rollback);

}  // namespace tidemark::lake

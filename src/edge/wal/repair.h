#pragma once
// Makes a damaged log one that opens: keeps every record that is whole, sets the damaged bytes
// aside and notes the positions that are lost (docs/formats/wal.md, "Opening").

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "io/file_system.h"

namespace tidemark::edge {

struct RepairReport {
  // One sentence each: what was damaged, what was saved, where the bytes are now.
  std::vector<std::string> steps;
};

// Takes the log's lock (kAlreadyExists: a process has it). Nothing to do is a report without steps.
// Blocking; safe to be called again after a crash in the middle.
Result<RepairReport> RepairLog(io::FileSystem& files, const std::string& folder);

}  // namespace tidemark::edge

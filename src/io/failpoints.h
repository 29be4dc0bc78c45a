#pragma once
// Places where a process can be told to die, to prove that nothing depends on dying elsewhere. One
// list; each entry has a test in tests/crash that hits it. Off costs one branch.

#include <string_view>

namespace tidemark::io {

// QUEEN_S3_CRASH_AT: the five points of the contract's crash matrix (queen-interface 5.1).
enum class Failpoint {
  kNever,
  kAfterIntent,   // the intent is durable, nothing uploaded
  kMidUpload,     // between multipart parts, or after the first single PUT
  kAfterUpload,   // objects and manifest are durable
  kBeforeCommit,  // as before, right before the committed document is written
  kAfterCommit,   // committed is durable, the checkpoint not yet written
};

// Called at each point with its name; `armed` is the configured one. Ends the process at once
// (abort, no clean-up) when they are the same.
void HitFailpoint(Failpoint armed, Failpoint here);

}  // namespace tidemark::io

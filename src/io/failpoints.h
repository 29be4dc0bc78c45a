#pragma once
// Places where a process can be told to die, to prove that nothing depends on dying elsewhere. One
// list; each entry has a test that hits it. Off costs one branch.

#include <span>
#include <string_view>
#include <utility>

namespace tidemark::io {

enum class Failpoint {
  kNever,
  // QUEEN_S3_CRASH_AT: the five points of the contract's crash matrix (queen-interface 5.1).
  kAfterIntent,   // the intent is durable, nothing uploaded
  kMidUpload,     // between multipart parts, or after the first single PUT
  kAfterUpload,   // objects and manifest are durable
  kBeforeCommit,  // as before, right before the committed document is written
  kAfterCommit,   // committed is durable, the checkpoint not yet written
  // TIDEMARK_CRASH_AT: around each step that finalizes a segment (edge/segment/finalize.cc).
  kBeforeSegmentClose,
  kAfterSegmentClose,
  kBeforeSegmentSync,
  kAfterSegmentSync,
  kBeforeSegmentRename,
  kAfterSegmentRename,
  kBeforeSegmentFolders,
  kAfterSegmentFolders,
  kBeforeSegmentFinalized,
  kAfterSegmentFinalized,
  kBeforeSegmentRejects,
  kAfterSegmentRejects,
  kBeforeSegmentCursor,
  kAfterSegmentCursor,
  kBeforeSegmentEligible,
  kAfterSegmentEligible,
};

// The points of TIDEMARK_CRASH_AT by name, in the order in which a segment passes them.
std::span<const std::pair<std::string_view, Failpoint>> SegmentFailpoints();

// Called at each point with its name; `armed` is the configured one. Ends the process at once
// (abort, no clean-up) when they are the same.
void HitFailpoint(Failpoint armed, Failpoint here);

}  // namespace tidemark::io

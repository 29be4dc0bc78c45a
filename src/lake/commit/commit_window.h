#pragma once
// The commit of one window: docs/protocol.md, carried out. commit_window.cc is its numbered form.

#include <cstdint>
#include <vector>

#include "format/manifest.h"
#include "lake/commit/documents.h"
#include "lake/commit/window_source.h"
#include "store/upload.h"

namespace tidemark::lake {

// What the engine decided about a window.
struct WindowPlan {
  format::Window window;
  // Records the source will give. In a redo: as many as the log still holds.
  std::int64_t records = 0;
  // Losses noticed and not reported so far.
  std::vector<format::LostRange> lost;
};

struct CommittedWindow {
  format::Committed committed;
  format::Manifest manifest;
  // Losses of the plan that this window does not report: hand them to the next one. Only a redo
  // leaves any.
  std::vector<format::LostRange> lost_unreported;
  // Offsets of manifest.lost that retention did not take, as far as this life saw them; the commit
  // itself leaves 0.
  std::int64_t holes = 0;
  // Payloads whose raw line breaks became spaces (tidemark_payload_newlines_total); 0 for adopted
  // objects.
  std::int64_t newline_payloads = 0;
};

// Commits the window after the committed one. On an error nothing of it may be assumed: restart
// from the documents.
//   kPreconditionFailed  fenced: another owner works on this queue
//   kCancelled           told to stop
//   others               for good (a refused write, a source that failed): wait and start over
// Everything passing is repeated inside, without bound. Everything passed by reference outlives the
// task.
io::Task<Result<CommittedWindow>> CommitWindow(CommitContext& context,
                                               Documents& documents,
                                               WindowPlan plan,
                                               WindowSource& source);

// Finishes the window that documents.intent promises, in the form it says; `plan.window` is the
// intent's. Objects that are already there with the same rows or more are adopted, never
// overwritten (decision 6). Errors as CommitWindow; kCorruption: the log gives other records than
// the intent counts, or the bucket holds other objects.
io::Task<Result<CommittedWindow>> RedoWindow(CommitContext& context,
                                             Documents& documents,
                                             WindowPlan plan,
                                             WindowSource& source);

// The multipart threshold that takes least memory: below it a part is held all the same.
inline constexpr std::int64_t kFrugalThresholdBytes = store::kPartBytes;

// What one commit holds beside its source, but for the pages of a Parquet row group: reserve it
// before the call, and follow CommitOptions::on_buffers where that says more.
std::int64_t CommitBytes(std::int64_t multipart_threshold_bytes);

}  // namespace tidemark::lake

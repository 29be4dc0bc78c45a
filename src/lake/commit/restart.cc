#include "lake/commit/restart.h"

#include <utility>

#include "lake/commit/checkpoints.h"
#include "lake/commit/out_of_step.h"
#include "lake/commit/prefix_change.h"
#include "lake/commit/stranded_uploads.h"

// Where a sink begins, with the lease claimed:
//
//   1. documents   read both pointers.
//   2. bucket      look for what they do not explain.
//   3. fence       refresh the lease, then read the pointers again: what a former owner wrote until
//                  we claimed is known now, and nothing it sends from here on is accepted. Changed:
//                  look again from 1.
//   4. judge       what is still not explained stops the queue; nothing was written.
//   5. uploads     what a dead owner left unfinished is aborted.
//   6. redo        intent.k = committed.k + 1: that window comes first, with the losses its intent
//                  names.
//   7. checkpoint  the newest at or below the committed window.

namespace tidemark::lake {

namespace {

bool SameVersions(const Documents& a, const Documents& b) {
  return a.intent_version == b.intent_version && a.committed_version == b.committed_version;
}

io::Task<Result<Documents>> ReadInStep(CommitContext& context) {
  CommitContext begun_nothing = EndedByDrain(context);
  TIDEMARK_CO_TRY(Documents documents, co_await LoadDocuments(begun_nothing));
  while (true) {
    CommitContext& now = documents.redo_pending() ? context : begun_nothing;
    TIDEMARK_CO_TRY(const std::string stray, co_await FindOutOfStep(now, documents));
    const auto refresh = [&] { return context.lease.Refresh(); };
    TIDEMARK_CO_TRY_VOID(co_await Persist(now, "lease of " + context.options.queue, refresh));
    TIDEMARK_CO_TRY(Documents again, co_await LoadDocuments(now));
    const bool settled = SameVersions(documents, again);
    documents = std::move(again);
    if (!settled) continue;
    if (stray.empty()) co_return documents;
    co_return Fail(ErrorCode::kCorruption, "broker and bucket are out of step: " + stray);
  }
}

io::Task<Status> ReadLosses(CommitContext& context, format::Intent& intent) {
  if (intent.lost_sidecar.empty()) co_return Status();
  const std::string& key = intent.lost_sidecar;
  const auto get = [&] { return context.store.Get(key); };
  TIDEMARK_CO_TRY(const auto body, co_await Persist(context, "get " + key, get));
  if (!body)
    co_return Fail(ErrorCode::kCorruption, key + ": the intent names it and it is not there");
  auto lost = format::DecodeLostRanges(*body);
  if (!lost.has_value()) co_return Annotate(std::move(lost.error()), key);
  intent.lost = std::move(*lost);
  co_return Status();
}

}  // namespace

io::Task<Result<RestartPoint>> Restart(CommitContext& context) {
  RestartPoint point;
  TIDEMARK_CO_TRY(point.documents, co_await ReadInStep(context));
  point.redo = point.documents.redo_pending();
  const std::string& prefix = context.options.form.prefix;
  const std::string change = DescribePrefixChange(context.options, point.documents);
  if (!change.empty()) context.Warn(change);
  co_await AbortStrandedUploads(context, prefix);
  if (point.redo && point.documents.intent->form.prefix != prefix)
    co_await AbortStrandedUploads(context, point.documents.intent->form.prefix);
  if (point.redo) TIDEMARK_CO_TRY_VOID(co_await ReadLosses(context, *point.documents.intent));
  CommitContext begun_nothing = EndedByDrain(context);
  CommitContext& now = point.redo ? context : begun_nothing;
  TIDEMARK_CO_TRY(point.checkpoint, co_await LoadCheckpoint(now, point.documents.committed_k()));
  co_return point;
}

}  // namespace tidemark::lake

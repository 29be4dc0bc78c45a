#pragma once
// The pointers of one queue, intent and committed, as last read or written, and their fenced writes
// (queen-interface 3, docs/formats/kv-documents.md).

#include <cstdint>
#include <optional>
#include <string>

#include "lake/commit/commit_context.h"

namespace tidemark::lake {

struct Documents {
  // nullopt: not there, or an intent that cannot be read, which is then no promise to anybody.
  std::optional<format::Intent> intent;
  std::optional<format::Committed> committed;
  // What the next write expects: 0 when there is no row; kept for an unreadable intent.
  std::int64_t intent_version = 0;
  std::int64_t committed_version = 0;

  format::WindowNumber committed_k() const {
    return committed ? committed->k : format::WindowNumber(0);
  }

  // The intent says what window k+1 is: it must be finished as it says before anything else.
  bool redo_pending() const { return intent && intent->window.k == committed_k() + 1; }
};

// Reads both, repeating without bound. kCorruption: the committed document cannot be read; going on
// without it would start again at window 1.
io::Task<Result<Documents>> LoadDocuments(CommitContext& context);

// Writes one document under the lease, repeating without bound; returns its new version. `same` as
// of Lease::PutFenced. kPreconditionFailed: fenced; kCancelled: told to stop; other errors are for
// good.
io::Task<Result<std::int64_t>> WriteFenced(CommitContext& context,
                                           std::string key,
                                           std::string value,
                                           std::int64_t expect,
                                           Lease::SameDocument same);

// Write one document and keep it and its version in `documents`. Errors as WriteFenced.
io::Task<Status> WriteIntent(CommitContext& context, Documents& documents, format::Intent intent);
io::Task<Status> WriteCommitted(CommitContext& context,
                                Documents& documents,
                                format::Committed committed);

// start=latest: makes T_0 durable as {k: 0, tEnd: T_0}, so that no restart before the first window
// can move it. Only where nothing is committed.
io::Task<Status> WriteStart(CommitContext& context, Documents& documents, Micros t_0);

}  // namespace tidemark::lake

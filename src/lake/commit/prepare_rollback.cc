#include "lake/commit/prepare_rollback.h"

#include <utility>

namespace tidemark::lake {

namespace {

// Intent first: while only it is rewritten, the pair still means the same to both programs.
io::Task<Status> RewriteIntent(CommitContext& context, Documents& documents) {
  const format::Form& defaults = context.options.form;
  const std::string old_form = format::EncodeIntentFor15(*documents.intent);
  TIDEMARK_CO_TRY(const auto meaning, format::DecodeIntent(old_form, defaults));
  const auto same = [&](std::string_view stored) {
    return format::DecodeIntent(stored, defaults) == meaning;
  };
  const std::string key = format::IntentKey(context.options.sink, context.options.queue);
  TIDEMARK_CO_TRY(documents.intent_version,
                  co_await WriteFenced(context, key, old_form, documents.intent_version, same));
  co_return Status();
}

io::Task<Status> RewriteCommitted(CommitContext& context, Documents& documents) {
  const std::string old_form = format::EncodeCommittedFor15(*documents.committed);
  const auto same = [&](std::string_view stored) {
    return format::DecodeCommitted(stored) == *documents.committed;
  };
  const std::string key = format::CommittedKey(context.options.sink, context.options.queue);
  TIDEMARK_CO_TRY(documents.committed_version,
                  co_await WriteFenced(context, key, old_form, documents.committed_version, same));
  co_return Status();
}

}  // namespace

io::Task<Status> PrepareRollback(CommitContext& context, Documents& documents) {
  if (documents.redo_pending())
    co_return Fail(ErrorCode::kInvalidArgument,
                   "queue " + context.options.queue + ": its pending window must be redone first");
  if (documents.intent) TIDEMARK_CO_TRY_VOID(co_await RewriteIntent(context, documents));
  if (documents.committed) TIDEMARK_CO_TRY_VOID(co_await RewriteCommitted(context, documents));
  co_return Status();
}

}  // namespace tidemark::lake

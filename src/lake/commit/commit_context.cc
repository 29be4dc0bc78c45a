#include "lake/commit/commit_context.h"

#include <algorithm>
#include <utility>

namespace tidemark::lake {

namespace {

constexpr io::Duration kDrainWait = std::chrono::milliseconds(250);

}  // namespace

bool WorthRepeating(const Error& error) {
  return IsRetriable(error) || error.code == ErrorCode::kCorruption ||
         error.code == ErrorCode::kExhausted;
}

CommitContext EndedByDrain(const CommitContext& context) {
  CommitContext ended_by_drain = context;
  ended_by_drain.stop = context.drain;
  return ended_by_drain;
}

io::Task<Status> WaitToRepeat(CommitContext& context, std::string what, int attempt, Error error) {
  const io::Duration wait = io::WaitAfter(context.options.backoff, attempt, error, context.random);
  if (context.options.on_retry) context.options.on_retry(what, error, wait);
  const bool waited = co_await io::Sleep(context.loop, wait, context.drain);
  if (!waited) co_await io::Sleep(context.loop, std::min(wait, kDrainWait), context.stop);
  if (!context.stop.stop_requested()) co_return Status();
  co_return Fail(ErrorCode::kCancelled, what + ": told to stop");
}

}  // namespace tidemark::lake

#pragma once
// What every step of a commit borrows, and how it waits.

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/result.h"
#include "format/form.h"
#include "io/failpoints.h"
#include "lake/commit/lake_world.h"
#include "lake/commit/lease.h"

namespace tidemark::lake {

struct CommitOptions {
  std::string sink;
  std::string queue;
  std::string version;  // of this program, for the writer's name
  // How windows are written from now on; a redo follows its intent instead.
  format::Form form;
  // The store keeps each part of a key as the name of a file or a folder.
  bool names_are_files = false;
  std::int64_t multipart_threshold_bytes = std::int64_t{64} << 20;
  // The longest a PUT that was started can still take effect: the time-out of one attempt.
  io::Duration put_timeout = std::chrono::seconds(120);
  io::Backoff backoff = {};
  io::Failpoint crash_at = io::Failpoint::kNever;

  // A step failed for a passing reason and is repeated after `wait`; `what` names step and object,
  // its first word what kind of step it is. May be empty.
  std::function<void(std::string_view what, const Error& error, io::Duration wait)> on_retry = {};
  // Bytes the commit under way holds beside its source, each time they changed. May be empty.
  std::function<void(std::int64_t bytes)> on_buffers = {};
  // Something an operator should know that stops nothing. May be empty.
  std::function<void(std::string_view message)> on_warning = {};
};

// Of one queue; everything borrowed outlives it and every task that uses it. Loop thread.
struct CommitContext : LakeWorld {
  Lease& lease;
  CommitOptions options;
  // The process drains: waits between repeats are cut to 250 ms, repeats go on. Request it before
  // `stop`.
  std::stop_token drain = {};
  // Give up: the next wait ends with kCancelled.
  std::stop_token stop = {};

  // To whoever listens (CommitOptions::on_warning).
  void Warn(std::string_view message) const {
    if (options.on_warning) options.on_warning(message);
  }
};

// True for what another attempt may cure. Wider than IsRetriable: a store that stored other bytes
// than were sent, or has no room, is asked again too, because the sink lags rather than drops.
bool WorthRepeating(const Error& error);

// `context` for work that a drain need not wait for: it then gives up as if told to stop.
CommitContext EndedByDrain(const CommitContext& context);

// The wait after attempt `attempt` (from 1) of `what` failed with `error`. kCancelled when told to
// stop.
io::Task<Status> WaitToRepeat(CommitContext& context, std::string what, int attempt, Error error);

// `attempt()` makes a Task<Result<T>>; repeats it until it succeeds or fails for good, without
// bound.
template <typename F, typename R = std::invoke_result_t<F&>>
R Persist(CommitContext& context, std::string what, F attempt) {
  for (int n = 1;; ++n) {
    auto result = co_await attempt();
    if (result.has_value() || !WorthRepeating(result.error())) co_return result;
    const Error error = std::move(result.error());
    TIDEMARK_CO_TRY_VOID(co_await WaitToRepeat(context, what, n, error));
  }
}

}  // namespace tidemark::lake

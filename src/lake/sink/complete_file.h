#pragma once
// `_queen/<queue>/complete.json`: how far the lake is complete (docs/formats/complete.md). Best
// effort: nothing waits for it, and a lost write is made good by the next.

#include <cstdint>
#include <optional>

#include "format/manifest.h"
#include "io/async.h"
#include "lake/commit/commit_context.h"

namespace tidemark::lake {

// One per life of a sink. Loop thread.
class CompleteFile {
 public:
  // `context` and `tasks` outlive it; writes run as tasks, one at a time, each of one attempt, and
  // only while the lease is ours.
  CompleteFile(CommitContext& context, io::TaskGroup& tasks, io::Duration idle_interval)
      : context_(context), tasks_(tasks), idle_interval_(idle_interval) {}

  // Where this life begins: the committed window. Before the other calls.
  void Begin(format::WindowNumber committed) { k_ = committed; }

  // A window was committed: it is the file's next, and its losses count.
  void OnCommitted(const format::Manifest& manifest);

  // How far it is complete. Begins a write when the window is another than at the last attempt, or
  // when that is `idle_interval` ago; returns at once. Nothing is written for kMinusInfinity, or
  // when the file says the same already.
  void Offer(Micros complete_through);

 private:
  // What the lives before this one left; their losses count on.
  struct Before {
    std::int64_t lost = 0;
    std::optional<format::Complete> file;
  };

  io::Task<void> Write();
  io::Task<Status> WriteOnce();
  io::Task<Result<Before>> ReadBefore();
  io::Task<Result<std::int64_t>> LostIn(format::WindowNumber k);

  CommitContext& context_;
  io::TaskGroup& tasks_;
  const io::Duration idle_interval_;
  format::WindowNumber k_;
  Micros complete_through_ = kMinusInfinity;
  std::optional<format::WindowNumber> first_own_;  // the first window committed in this life
  std::int64_t lost_ = 0;                          // of windows committed in this life
  std::optional<Before> before_;
  std::optional<format::Complete> written_;
  bool writing_ = false;
  std::optional<format::WindowNumber> attempted_k_;
  io::Duration attempted_at_{0};
};

}  // namespace tidemark::lake

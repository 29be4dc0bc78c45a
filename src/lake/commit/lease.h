#pragma once
// The right to commit windows of one queue: a row in the broker's KV store that expires unless it
// is refreshed (queen-interface 5.4, decisions 2 and 3). The row is also the fence: every document
// is written in one batch with it.
//
// One writer at a time: refreshes and document writes take turns, and each attempt is built anew
// from the row's version as known then, so a sink never fences itself. A lost condition or a lost
// answer is judged by reading back.

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/result.h"
#include "format/kv_documents.h"
#include "io/async.h"
#include "io/clock.h"
#include "io/random.h"
#include "io/retry.h"
#include "queen/broker.h"

namespace tidemark::lake {

struct LeaseOptions {
  std::string sink;
  std::string queue;
  std::string instance;
  // Counted in whole seconds, at least one. Refreshed every third of it, not more often than every
  // 100 ms.
  io::Duration ttl = std::chrono::seconds(30);
  io::Backoff backoff = {};
  // Whether to ask for the row now. When given, Claim asks it at uneven intervals of about a third
  // of the ttl instead of asking for the row every ttl, and calls `on_asked` after each time it
  // did.
  std::function<bool()> may_ask = {};
  std::function<void()> on_asked = {};
  // Somebody else holds the row; Claim asks again after one ttl. May be empty.
  std::function<void(std::string_view holder)> on_held_by_other = {};
  // The broker rolled a batch of ours back (queen_s3_commit_precondition_lost_total). May be empty.
  std::function<void()> on_precondition_lost = {};
};

enum class LeaseLoss {
  kNone,
  kTakenByOther,     // another instance holds the row
  kTakenByNamesake,  // another process with our instance name took it: two of one name run, and we
                     // give way
  kExpired,          // the row is gone and nobody holds it
};

// One life of one lease: Claim, then work, then Release, also after a loss. Loop thread; everything
// borrowed outlives it.
class Lease {
 public:
  // Whether a row's JSON text means the document we meant to write: brokers do not keep its
  // spelling.
  using SameDocument = std::function<bool(std::string_view stored)>;

  Lease(io::Loop& loop,
        queen::Broker& broker,
        const io::Clock& clock,
        io::Random& random,
        LeaseOptions options);

  // Waits until the row is ours and starts refreshing it. A leftover of our own instance name is
  // taken over at once. kCancelled when `stop` came first; any other error is for good.
  io::Task<Status> Claim(std::stop_token stop);

  // True while nobody else can hold the row: its age, counted from when the last confirmed refresh
  // was *sent*, is below the ttl. A PUT may start only then.
  bool StillOurs() const;

  // One attempt to prove that it is ours: at once while StillOurs(), else by a refresh. Errors as
  // PutFenced.
  io::Task<Status> EnsureOurs();

  // One attempt to renew the row. Errors as PutFenced.
  io::Task<Status> Refresh();

  // One attempt to write `document` (with its `expect`) and renew the row, both or neither; returns
  // the document's new version. kPreconditionFailed: fenced, by a lost lease (loss() says how) or
  // by a document that somebody else changed. Retriable errors: call again with the same document;
  // a write whose answer was lost is recognised.
  io::Task<Result<std::int64_t>> PutFenced(queen::KvPut document, SameDocument same);

  // Stops refreshing and deletes the row if it is ours: several attempts, at most about ten seconds
  // of waiting.
  io::Task<void> Release();

  LeaseLoss loss() const { return loss_; }

  // Of a lease that is lost: kPreconditionFailed, and to whom.
  Error LossReason() const;

  // From the claim to the release or the loss.
  bool held() const { return confirmed_sent_ && loss_ == LeaseLoss::kNone; }

  // When the claim was won (Loop::Now), and whether it cut short a leftover that may still have
  // been alive.
  io::Duration claimed_at() const { return claimed_at_; }

  bool taken_over() const { return taken_over_; }

  io::Duration ttl() const { return options_.ttl; }

 private:
  struct Fenced {
    std::optional<queen::KvPut> document;
    SameDocument same;
  };

  io::Task<Result<bool>> AskOnce();
  io::Task<Result<bool>> ClaimOnce();
  io::Duration NextAsk();
  io::Task<Result<queen::KvResult>> PutRow(std::int64_t expect, io::Duration sent);
  io::Task<Result<std::int64_t>> Attempt(Fenced write);
  io::Task<Result<std::int64_t>> ReadBack(const Fenced& write, io::Duration sent);
  static Result<std::int64_t> JudgeDocument(const Fenced& write, const queen::KvRow* row);
  io::Task<void> KeepRefreshed();
  io::Task<Status> DeleteOnce();

  queen::KvPut FenceAt(std::int64_t expect) const;
  bool IsOurs(const format::Lease& row) const;
  void Confirm(std::int64_t version, io::Duration sent);
  // True when `error` leaves open whether the attempt sent then was applied.
  bool NoteUnknown(const Error& error, io::Duration sent);
  std::unexpected<Error> Lose(LeaseLoss loss, std::string holder);

  std::unexpected<Error> LossError() const { return std::unexpected(LossReason()); }

  io::Loop& loop_;
  queen::Broker& broker_;
  io::Random& random_;
  LeaseOptions options_;
  std::string key_;
  format::Lease row_;

  io::AsyncMutex mutex_;
  io::TaskGroup tasks_;
  std::stop_source refreshing_;

  std::int64_t version_ = 0;
  std::optional<io::Duration> confirmed_sent_;
  // When the first attempt whose outcome nobody told us was sent: what a read-back finds may be as
  // old as that.
  std::optional<io::Duration> oldest_unknown_;
  LeaseLoss loss_ = LeaseLoss::kNone;
  std::string holder_;
  io::Duration claimed_at_{0};
  bool taken_over_ = false;
};

}  // namespace tidemark::lake

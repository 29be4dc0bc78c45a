#include "lake/commit/lease.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/check.h"

namespace tidemark::lake {

namespace {

constexpr int kReleaseAttempts = 6;

io::Duration WholeSeconds(io::Duration ttl) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(ttl);
  return std::max(seconds, std::chrono::seconds(1));
}

const queen::KvRow* FindRow(const std::vector<queen::KvRow>& rows, std::string_view key) {
  const auto found = std::ranges::find(rows, key, &queen::KvRow::key);
  return found == rows.end() ? nullptr : &*found;
}

// A read that came back garbled may be repeated like one that did not come back.
Error AsReadError(Error error) {
  if (error.code == ErrorCode::kInternal) error.code = ErrorCode::kUnavailable;
  return error;
}

}  // namespace

Lease::Lease(io::Loop& loop,
             queen::Broker& broker,
             const io::Clock& clock,
             io::Random& random,
             LeaseOptions options)
    : loop_(loop),
      broker_(broker),
      random_(random),
      options_(std::move(options)),
      key_(format::LeaseKey(options_.sink, options_.queue)),
      row_{.instance = options_.instance,
           .incarnation = fmt::format("{:016x}", random.Next()),
           .since_ms = clock.Now().value() / kMicrosPerMilli},
      mutex_(loop),
      tasks_(loop) {
  options_.ttl = WholeSeconds(options_.ttl);
}

io::Task<Status> Lease::Claim(std::stop_token stop) {
  TIDEMARK_CHECK(!confirmed_sent_, "lease of queue {} is claimed once", options_.queue);
  for (int failures = 0; !stop.stop_requested();) {
    auto claimed = co_await AskOnce();
    if (claimed.has_value() && *claimed) {
      claimed_at_ = loop_.Now();
      tasks_.Add(KeepRefreshed());
      co_return Status();
    }
    io::Duration wait = NextAsk();
    if (!claimed.has_value()) {
      if (!IsRetriable(claimed.error())) co_return std::unexpected(std::move(claimed.error()));
      wait = io::WaitAfter(options_.backoff, ++failures, claimed.error(), random_);
    }
    co_await io::Sleep(loop_, wait, stop);
  }
  co_return Fail(ErrorCode::kCancelled,
                 fmt::format("claim of queue {}: told to stop", options_.queue));
}

// Several sinks of a process wait for a few rows at once: even steps would let the same ones ask
// first, for ever.
io::Duration Lease::NextAsk() {
  if (!options_.may_ask) return options_.ttl;
  const auto even = options_.ttl / 3;
  return even / 2 + io::Duration(static_cast<std::int64_t>(
                        random_.Next() % static_cast<std::uint64_t>(even.count())));
}

// As ClaimOnce; false also when it is not our turn.
io::Task<Result<bool>> Lease::AskOnce() {
  if (options_.may_ask && !options_.may_ask()) co_return false;
  auto claimed = co_await ClaimOnce();
  if (options_.on_asked) options_.on_asked();
  co_return claimed;
}

// False: somebody else holds the row.
io::Task<Result<bool>> Lease::ClaimOnce() {
  const io::Duration sent = loop_.Now();
  auto answer = co_await PutRow(0, sent);
  if (!answer.has_value()) co_return std::unexpected(std::move(answer.error()));
  if (answer->applied) co_return true;

  const auto holder = format::DecodeLease(answer->current_value);
  if (holder.has_value() && IsOurs(*holder)) {
    Confirm(answer->version, oldest_unknown_.value_or(sent));
    co_return true;
  }
  if (!holder.has_value() || holder->instance != row_.instance) {
    if (options_.on_held_by_other)
      options_.on_held_by_other(holder.has_value() ? holder->instance : "an unreadable row");
    co_return false;
  }
  // A leftover of an earlier life of ours. By version, so that of two living namesakes one is
  // fenced.
  taken_over_ = true;
  auto taken = co_await PutRow(answer->version, loop_.Now());
  if (!taken.has_value()) co_return std::unexpected(std::move(taken.error()));
  if (taken->applied) co_return true;
  co_return Fail(ErrorCode::kUnavailable,
                 fmt::format("claim of queue {}: the row changed meanwhile", options_.queue));
}

io::Task<Result<queen::KvResult>> Lease::PutRow(std::int64_t expect, io::Duration sent) {
  const queen::KvPut put = FenceAt(expect);
  auto answer = co_await broker_.KvPutOne(put);
  if (answer.has_value() && answer->applied) Confirm(answer->version, sent);
  if (!answer.has_value()) {
    NoteUnknown(answer.error(), sent);
    co_return Annotate(std::move(answer.error()), "claim of queue " + options_.queue);
  }
  co_return answer;
}

bool Lease::StillOurs() const {
  return loss_ == LeaseLoss::kNone && confirmed_sent_ &&
         loop_.Now() - *confirmed_sent_ < options_.ttl;
}

io::Task<Status> Lease::EnsureOurs() {
  if (StillOurs()) co_return Status();
  co_return co_await Refresh();
}

io::Task<Status> Lease::Refresh() {
  Fenced nothing;
  auto renewed = co_await Attempt(std::move(nothing));
  if (!renewed.has_value()) co_return std::unexpected(std::move(renewed.error()));
  co_return Status();
}

io::Task<Result<std::int64_t>> Lease::PutFenced(queen::KvPut document, SameDocument same) {
  TIDEMARK_CHECK(document.expect.has_value(), "{}: a fenced write names its version", document.key);
  Fenced write{.document = std::move(document), .same = std::move(same)};
  co_return co_await Attempt(std::move(write));
}

// Returns the document's version, or 0 when there is none to write.
io::Task<Result<std::int64_t>> Lease::Attempt(Fenced write) {
  const auto turn = co_await mutex_.Lock();
  if (loss_ != LeaseLoss::kNone) co_return LossError();
  TIDEMARK_CHECK(confirmed_sent_, "lease of queue {} is used before its claim", options_.queue);

  std::vector<queen::KvPut> puts{FenceAt(version_)};
  if (write.document) puts.push_back(*write.document);
  const io::Duration sent = loop_.Now();
  auto answer = co_await broker_.KvPutAll(puts);

  if (answer.has_value() && answer->applied) {
    TIDEMARK_CHECK(answer->versions.size() == puts.size());
    Confirm(answer->versions.front(), sent);
    co_return write.document ? answer->versions.back() : 0;
  }
  if (answer.has_value()) {
    if (options_.on_precondition_lost) options_.on_precondition_lost();
  } else if (!NoteUnknown(answer.error(), sent)) {
    co_return Annotate(std::move(answer.error()), "lease of queue " + options_.queue);
  }
  co_return co_await ReadBack(write, sent);
}

// The rows say what happened: an earlier attempt whose answer was lost may have been the one that
// won.
io::Task<Result<std::int64_t>> Lease::ReadBack(const Fenced& write, io::Duration sent) {
  std::vector<std::string> keys{key_};
  if (write.document) keys.push_back(write.document->key);
  auto rows = co_await broker_.KvGetMany(keys);
  if (!rows.has_value())
    co_return Annotate(AsReadError(std::move(rows.error())), "read back of " + keys.back());

  const queen::KvRow* const row = FindRow(*rows, key_);
  if (row == nullptr) co_return Lose(LeaseLoss::kExpired, "");
  const auto holder = format::DecodeLease(row->value);
  if (!holder.has_value()) co_return Lose(LeaseLoss::kTakenByOther, "an unreadable row");
  if (!IsOurs(*holder)) {
    const bool namesake = holder->instance == row_.instance;
    co_return Lose(namesake ? LeaseLoss::kTakenByNamesake : LeaseLoss::kTakenByOther,
                   holder->instance);
  }
  const bool renewed = row->version != version_;
  if (renewed) Confirm(row->version, oldest_unknown_.value_or(sent));
  if (write.document) co_return JudgeDocument(write, FindRow(*rows, write.document->key));
  if (renewed) co_return 0;
  co_return Fail(ErrorCode::kUnavailable, key_ + ": the refresh was not applied");
}

Result<std::int64_t> Lease::JudgeDocument(const Fenced& write, const queen::KvRow* row) {
  const queen::KvPut& document = *write.document;
  const std::int64_t version = row == nullptr ? 0 : row->version;
  if (version == *document.expect)
    return Fail(ErrorCode::kUnavailable, document.key + ": the write was not applied");
  if (row != nullptr && write.same(row->value)) return version;
  return Fail(ErrorCode::kPreconditionFailed, document.key + ": another writer changed it");
}

io::Task<void> Lease::KeepRefreshed() {
  const io::Duration interval =
      std::max<io::Duration>(options_.ttl / 3, std::chrono::milliseconds(100));
  while (co_await io::Sleep(loop_, interval, refreshing_.get_token())) {
    IgnoreError(co_await Refresh(), "the next tick tries again; a loss is kept in loss_");
    if (loss_ != LeaseLoss::kNone) co_return;
  }
}

io::Task<void> Lease::Release() {
  refreshing_.request_stop();
  co_await tasks_.Join();
  const auto turn = co_await mutex_.Lock();
  const bool held = std::exchange(confirmed_sent_, std::nullopt) && loss_ == LeaseLoss::kNone;
  const io::Backoff quick{.first = std::chrono::milliseconds(250), .most = std::chrono::seconds(3)};
  for (int attempt = 1; held && attempt <= kReleaseAttempts; ++attempt) {
    auto gone = co_await DeleteOnce();
    if (gone.has_value() || attempt == kReleaseAttempts) co_return;
    Error error = std::move(gone.error());
    error.retry_after_ms = std::min<std::int64_t>(error.retry_after_ms, 2'000);
    co_await io::Sleep(loop_, io::WaitAfter(quick, attempt, error, random_), {});
  }
}

io::Task<Status> Lease::DeleteOnce() {
  auto answer = co_await broker_.KvDelete(key_, version_);
  if (!answer.has_value()) co_return std::unexpected(std::move(answer.error()));
  if (answer->applied) co_return Status();
  const auto holder = format::DecodeLease(answer->current_value);
  if (!holder.has_value() || !IsOurs(*holder)) co_return Status();
  version_ = answer->version;
  co_return Fail(ErrorCode::kUnavailable, key_ + ": a late refresh came first");
}

queen::KvPut Lease::FenceAt(std::int64_t expect) const {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(options_.ttl).count();
  return {
      .key = key_, .value = format::EncodeLease(row_), .ttl_seconds = seconds, .expect = expect};
}

bool Lease::IsOurs(const format::Lease& row) const {
  return row.instance == row_.instance && row.incarnation == row_.incarnation;
}

void Lease::Confirm(std::int64_t version, io::Duration sent) {
  version_ = version;
  confirmed_sent_ = sent;
  oldest_unknown_.reset();
}

// An answer that makes no sense tells as little as one that never came.
bool Lease::NoteUnknown(const Error& error, io::Duration sent) {
  const bool unknown =
      error.code == ErrorCode::kOutcomeUnknown || error.code == ErrorCode::kInternal;
  if (unknown && !oldest_unknown_) oldest_unknown_ = sent;
  return unknown;
}

std::unexpected<Error> Lease::Lose(LeaseLoss loss, std::string holder) {
  loss_ = loss;
  holder_ = std::move(holder);
  return LossError();
}

Error Lease::LossReason() const {
  const auto lost = [this](std::string_view how) {
    return Error{.code = ErrorCode::kPreconditionFailed,
                 .message = fmt::format("lease of queue {} lost: {}", options_.queue, how)};
  };
  switch (loss_) {
    case LeaseLoss::kNone:
      break;
    case LeaseLoss::kTakenByOther:
      return lost(fmt::format("{} holds it", holder_));
    case LeaseLoss::kTakenByNamesake:
      return lost(fmt::format("a second process of the name {} took it over", holder_));
    case LeaseLoss::kExpired:
      return lost("it expired before it could be refreshed");
  }
  TIDEMARK_CHECK(false, "a lease that is ours was called lost");
}

}  // namespace tidemark::lake

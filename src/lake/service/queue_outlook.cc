#include "lake/service/queue_outlook.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>
#include <vector>

#include "lake/commit/out_of_step.h"
#include "lake/commit/prefix_change.h"
#include "lake/commit/store_names.h"

namespace tidemark::lake {

namespace {

constexpr int kAttempts = 3;
// How often the documents may move while the bucket is looked at: another instance is at work.
constexpr int kLooks = 3;

// The context of a commit that is never made; ends after a few attempts of one call.
class Looker {
 public:
  Looker(LakeWorld world, CommitOptions options, LeaseOptions lease)
      : lease_(world.loop, world.broker, world.clock, world.random, std::move(lease)),
        context_{world, lease_, std::move(options)} {
    context_.drain = gave_up_.get_token();
    context_.stop = gave_up_.get_token();
    context_.options.on_retry = [this](std::string_view, const Error& error, io::Duration) {
      last_error_ = error.message;
      if (++failures_ >= kAttempts) gave_up_.request_stop();
    };
  }

  CommitContext& context() { return context_; }

  // What failed: a call that was given up says more than that it was.
  std::string Reason(const Error& error) const {
    return error.code == ErrorCode::kCancelled && !last_error_.empty() ? last_error_
                                                                       : error.message;
  }

 private:
  Lease lease_;
  CommitContext context_;
  std::stop_source gave_up_;
  std::string last_error_;
  int failures_ = 0;
};

io::Task<Result<Documents>> ReadInStep(CommitContext& context) {
  for (int look = 1;; ++look) {
    TIDEMARK_CO_TRY(Documents documents, co_await LoadDocuments(context));
    TIDEMARK_CO_TRY(const std::string stray, co_await FindOutOfStep(context, documents));
    if (stray.empty()) co_return documents;
    TIDEMARK_CO_TRY(const Documents again, co_await LoadDocuments(context));
    const bool moved = again.intent_version != documents.intent_version ||
                       again.committed_version != documents.committed_version;
    if (!moved || look == kLooks) {
      co_return Fail(ErrorCode::kCorruption, "broker and bucket are out of step: " + stray);
    }
  }
}

io::Task<Result<std::optional<format::Lease>>> ReadLease(CommitContext& context) {
  const std::vector<std::string> keys{
      format::LeaseKey(context.options.sink, context.options.queue)};
  const auto read = [&] { return context.broker.KvGetMany(keys); };
  TIDEMARK_CO_TRY(const auto rows, co_await Persist(context, "kv " + keys.front(), read));
  if (rows.empty()) co_return std::nullopt;
  auto lease = format::DecodeLease(rows.front().value);
  if (!lease) co_return Annotate(std::move(lease.error()), keys.front());
  co_return std::move(*lease);
}

io::Task<Result<bool>> QueueExists(CommitContext& context) {
  const auto ask = [&] {
    std::vector<queen::DiscoveryEntry> entries{{.queue = context.options.queue, .limit = 1}};
    return context.broker.Discover(std::move(entries));
  };
  TIDEMARK_CO_TRY(const auto answer, co_await Persist(context, "discovery", ask));
  co_return answer.entries.size() == 1 &&
      answer.entries.front().error != queen::EntryError::kUnknownPartition;
}

io::Task<Status> Look(CommitContext& context,
                      std::string instance,
                      Start start,
                      QueueOutlook& outlook) {
  TIDEMARK_CO_TRY_VOID(CheckQueueName(context.options));
  TIDEMARK_CO_TRY(const auto lease, co_await ReadLease(context));
  outlook.lease = DescribeLease(lease, instance, context.lease.ttl());
  TIDEMARK_CO_TRY(const Documents documents, co_await ReadInStep(context));
  outlook.next = DescribeNext(documents, start);
  outlook.note = DescribePrefixChange(context.options, documents);
  TIDEMARK_CO_TRY(const bool exists, co_await QueueExists(context));
  if (!exists) {
    outlook.next = fmt::format(
        "the broker has no queue {} so far: it is asked for again every minute; then "
        "{}",
        context.options.queue,
        outlook.next);
  }
  co_return Status();
}

}  // namespace

std::string DescribeNext(const Documents& documents, const Start& start) {
  if (documents.redo_pending()) {
    const format::Intent& intent = *documents.intent;
    const std::string count =
        intent.records ? fmt::format(", {} records", *intent.records) : std::string();
    return fmt::format("redoes window {}, [{}, {}), decided and not finished: {}{}",
                       intent.window.k.value(),
                       FormatIso(intent.window.start),
                       FormatIso(intent.window.end),
                       intent.writer,
                       count);
  }
  const std::int64_t next = documents.committed_k().value() + 1;
  if (documents.committed) {
    return fmt::format("{} with window {}, from {} on",
                       next == 1 ? "starts" : "resumes",
                       next,
                       FormatIso(documents.committed->t_end));
  }
  switch (start.kind) {
    case Start::Kind::kEarliest:
      return "starts with window 1, from the beginning of the log on";
    case Start::Kind::kLatest:
      return "starts with window 1, from the moment of the start on";
    case Start::Kind::kAt:
      return fmt::format("starts with window 1, from {} on", FormatIso(start.at));
  }
  return "";
}

std::string DescribeLease(const std::optional<format::Lease>& lease,
                          std::string_view instance,
                          io::Duration ttl) {
  if (!lease) return "free";
  const std::string since = FormatIso(Micros(lease->since_ms * kMicrosPerMilli));
  if (lease->instance == instance) {
    return fmt::format(
        "held by {} since {}: this instance's own name, a start takes it over", instance, since);
  }
  return fmt::format(
      "held by {} since {}: a start waits until it is released, or at most {} s after its owner's "
      "last sign of life",
      lease->instance,
      since,
      std::chrono::duration_cast<std::chrono::seconds>(ttl).count());
}

io::Task<QueueOutlook> LookAhead(LakeWorld world,
                                 CommitOptions options,
                                 LeaseOptions lease,
                                 Start start) {
  const std::string instance = lease.instance;
  Looker looker(world, std::move(options), std::move(lease));
  QueueOutlook outlook;
  const Status looked = co_await Look(looker.context(), instance, start, outlook);
  if (!looked) outlook.fault = looker.Reason(looked.error());
  co_return outlook;
}

}  // namespace tidemark::lake

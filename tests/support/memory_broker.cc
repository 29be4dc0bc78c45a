#include "tests/support/memory_broker.h"

#include "base/check.h"
#include "io/async.h"

namespace tidemark::testing {

namespace {

constexpr Micros kEpoch{1'788'516'000'000'000};

}  // namespace

Micros MemoryBroker::Now() const {
  return kEpoch + std::chrono::duration_cast<std::chrono::microseconds>(loop_.Now()).count();
}

void MemoryBroker::Add(Fault fault) {
  TIDEMARK_CHECK(fault.nth >= 1 && fault.times >= 1, "call {} x {}", fault.nth, fault.times);
  planned_.push_back({.first = calls(fault.call) + fault.nth, .fault = std::move(fault)});
}

void MemoryBroker::FailBefore(Call call, int nth, std::int64_t retry_after_ms) {
  Add({.call = call,
       .nth = nth,
       .fail_before = Error{.code = ErrorCode::kUnavailable,
                            .message = "broker down, as the test wants it",
                            .retry_after_ms = retry_after_ms}});
}

void MemoryBroker::LoseReply(Call call, int nth) {
  Add({.call = call,
       .nth = nth,
       .fail_after = Error{.code = ErrorCode::kOutcomeUnknown,
                           .message = "reply lost, as the test wants it"}});
}

Fault MemoryBroker::FaultOf(Call call, int number) const {
  for (const auto& [first, fault] : planned_) {
    if (fault.call == call && number >= first && number < first + fault.times) return fault;
  }
  return {};
}

template <typename T>
io::Task<Result<T>> MemoryBroker::Through(Call call, std::function<Result<T>()>& act) {
  const Fault fault = FaultOf(call, ++calls_[static_cast<std::size_t>(call)]);
  co_await io::Sleep(loop_, latency_() + fault.delay_before, std::stop_token());
  if (fault.fail_before) co_return std::unexpected(*fault.fail_before);
  Result<T> answer = act();
  co_await io::Sleep(loop_, latency_() + fault.delay_after, std::stop_token());
  if (fault.fail_after) co_return std::unexpected(*fault.fail_after);
  co_return answer;
}

io::Task<Result<queen::FetchAnswer>> MemoryBroker::Fetch(queen::FetchRequest request) {
  std::function<Result<queen::FetchAnswer>()> act = [&] {
    auto answer = log_.Fetch(request);
    if (answer) records_fetched_ += answer->body->records().size();
    return answer;
  };
  co_return co_await Through(Call::kFetch, act);
}

io::Task<Result<queen::DiscoveryAnswer>> MemoryBroker::Discover(
    std::vector<queen::DiscoveryEntry> entries) {
  std::function<Result<queen::DiscoveryAnswer>()> act = [&] {
    return log_.Discover(entries, Now());
  };
  co_return co_await Through(Call::kDiscover, act);
}

io::Task<Result<std::vector<queen::KvRow>>> MemoryBroker::KvGetMany(std::vector<std::string> keys) {
  std::function<Result<std::vector<queen::KvRow>>()> act = [&] {
    return kv_.GetMany(keys, loop_.Now());
  };
  co_return co_await Through(Call::kKvGetMany, act);
}

io::Task<Result<std::vector<queen::KvRow>>> MemoryBroker::KvGetPrefix(std::string prefix) {
  std::function<Result<std::vector<queen::KvRow>>()> act = [&] {
    return kv_.GetPrefix(prefix, loop_.Now());
  };
  co_return co_await Through(Call::kKvGetPrefix, act);
}

io::Task<Result<std::vector<queen::KvResult>>> MemoryBroker::KvPutEach(
    std::vector<queen::KvPut> puts) {
  std::function<Result<std::vector<queen::KvResult>>()> act =
      [&]() -> Result<std::vector<queen::KvResult>> {
    std::vector<queen::KvResult> results;
    for (const queen::KvPut& put : puts) {
      TIDEMARK_TRY(results.emplace_back(), kv_.Put(put, loop_.Now()));
    }
    return results;
  };
  co_return co_await Through(Call::kKvPutEach, act);
}

io::Task<Result<queen::KvBatchResult>> MemoryBroker::KvPutAll(std::vector<queen::KvPut> puts) {
  std::function<Result<queen::KvBatchResult>()> act = [&] { return kv_.PutAll(puts, loop_.Now()); };
  co_return co_await Through(Call::kKvPutAll, act);
}

io::Task<Result<queen::KvResult>> MemoryBroker::KvDelete(std::string key, std::int64_t expect) {
  std::function<Result<queen::KvResult>()> act = [&] {
    return kv_.Delete(key, expect, loop_.Now());
  };
  co_return co_await Through(Call::kKvDelete, act);
}

io::Task<Result<std::vector<std::string>>> MemoryBroker::ListQueues() {
  std::function<Result<std::vector<std::string>>()> act = [&] { return log_.Queues(); };
  co_return co_await Through(Call::kListQueues, act);
}

}  // namespace tidemark::testing

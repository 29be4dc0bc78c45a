#pragma once
// A broker in memory that can be told to answer late, twice or wrongly: MemoryLog and MemoryKv
// behind queen::Broker, with faults between. Everything on the loop's thread; the loop's clock is
// the broker's.

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "io/loop.h"
#include "queen/broker.h"
#include "tests/support/memory_kv.h"
#include "tests/support/memory_log.h"

namespace tidemark::testing {

enum class Call {
  kFetch,
  kDiscover,
  kKvGetMany,
  kKvPutEach,
  kKvPutAll,
  kKvDelete,
  kListQueues,
  kKvGetPrefix
};

// What happens to the `nth` call of a kind (1: the next one), and to the `times` - 1 after it.
struct Fault {
  Call call = Call::kFetch;
  int nth = 1;
  int times = 1;
  io::Duration delay_before{0};                     // acted on that much later
  io::Duration delay_after{0};                      // acted on at once, answered that much later
  std::optional<Error> fail_before = std::nullopt;  // not acted on
  std::optional<Error> fail_after = std::nullopt;   // acted on, but the answer is this
};

class MemoryBroker final : public queen::Broker {
 public:
  // Broker time is 2026-09-04T10:00:00Z when loop.Now() is 0. `loop` outlives the broker and the
  // broker its calls.
  explicit MemoryBroker(io::Loop& loop) : loop_(loop) {}

  MemoryLog& log() { return log_; }

  MemoryKv& kv() { return kv_; }

  Micros Now() const;

  // Faults of one kind that meet in a call: the one added first acts, and counts as spent.
  void Add(Fault fault);
  // Not acted on, kUnavailable; with how long to wait where given.
  void FailBefore(Call call, int nth = 1, std::int64_t retry_after_ms = -1);
  // Acted on, kOutcomeUnknown.
  void LoseReply(Call call, int nth = 1);

  // Called for every request and every answer; how long it is under way. Default: no time, but
  // never at once.
  void SetLatency(std::function<io::Duration()> latency) { latency_ = std::move(latency); }

  // Calls of that kind so far, failed ones included.
  int calls(Call call) const { return calls_[static_cast<std::size_t>(call)]; }

  // In all answers to fetches so far, those that came again included.
  std::size_t records_fetched() const { return records_fetched_; }

  io::Task<Result<queen::FetchAnswer>> Fetch(queen::FetchRequest request) override;
  io::Task<Result<queen::DiscoveryAnswer>> Discover(
      std::vector<queen::DiscoveryEntry> entries) override;
  io::Task<Result<std::vector<queen::KvRow>>> KvGetMany(std::vector<std::string> keys) override;
  io::Task<Result<std::vector<queen::KvRow>>> KvGetPrefix(std::string prefix) override;
  io::Task<Result<std::vector<queen::KvResult>>> KvPutEach(std::vector<queen::KvPut> puts) override;
  io::Task<Result<queen::KvBatchResult>> KvPutAll(std::vector<queen::KvPut> puts) override;
  io::Task<Result<queen::KvResult>> KvDelete(std::string key, std::int64_t expect) override;
  io::Task<Result<std::vector<std::string>>> ListQueues() override;

 private:
  struct Planned {
    int first;  // number of the first call it meets
    Fault fault;
  };

  // Counts the call and carries it to `act` and back through whatever was planned for it. `act`
  // lives in the caller's frame.
  template <typename T>
  io::Task<Result<T>> Through(Call call, std::function<Result<T>()>& act);
  Fault FaultOf(Call call, int number) const;

  io::Loop& loop_;
  MemoryLog log_;
  MemoryKv kv_;
  std::vector<Planned> planned_;
  std::function<io::Duration()> latency_ = [] { return io::Duration(0); };
  std::array<int, 8> calls_{};
  std::size_t records_fetched_ = 0;
};

}  // namespace tidemark::testing

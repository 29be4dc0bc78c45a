#pragma once
// One queue's lake in virtual time. The broker and the bucket outlive the sinks: a test starts and
// stops as many as it likes, and every key ever written is watched.

#include <memory>
#include <optional>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "format/manifest.h"
#include "io/sim_loop.h"
#include "lake/sink/queue_sink.h"
#include "store/checked_store.h"
#include "store/faulty_store.h"
#include "store/memory_store.h"
#include "tests/support/day_time.h"
#include "tests/support/memory_broker.h"

namespace tidemark::testing {

// partition, offset
using LakeRow = std::tuple<std::string, std::int64_t>;
// partition, offset, ts in microseconds: what is unique in a lake
using LakeRecord = std::tuple<std::string, std::int64_t, std::int64_t>;

// How many seeds random lives are tried with: `usual`, or what TIDEMARK_SEEDS says.
std::uint64_t SeedCount(std::uint64_t usual);

// Payloads and a budget of which a few records fill: with LakeRig::TightenMemory, buffers are given
// up and read again, and windows are read from the log.
constexpr std::int64_t kTightBudgetBytes = std::int64_t{3} << 20;
std::string HeavyPayload();

class LakeRig {
 public:
  explicit LakeRig(std::uint64_t seed = 1, std::int64_t budget_bytes = std::int64_t{1} << 30);

  // Stops what still runs.
  ~LakeRig() { Stop(); }

  io::SimLoop& loop() { return loop_; }

  MemoryBroker& broker() { return broker_; }

  store::FaultyStore& faults() { return faulty_; }

  store::MemoryStore& bucket() { return bucket_; }

  lake::SinkOptions& options() { return options_; }

  // Windows of an hour, and answers that fit kTightBudgetBytes.
  void TightenMemory();

  // Runs one sink for `time` of virtual time, then drains it. Returns how it ended.
  Status RunFor(io::Duration time, const std::string& instance = "sink-0");

  // Starts a sink that goes on until Stop; several may run at once.
  void Start(const std::string& instance);
  void Stop();
  // As Stop, but the sinks give up at once: what was not durable is gone with them.
  void Kill();

  // The next life ends by a write that is refused, before or after it was done; or by none.
  void PlanDeath(std::mt19937_64& random);
  // Lives until the planned deaths are used up and one life reads to the end. How that one ended.
  Status LiveOut();

  void Advance(io::Duration time) { loop_.RunUntil(loop_.Now() + time); }

  // How the sinks ended, in the order of their ends.
  const std::vector<Status>& ends() const { return ends_; }

  // All manifests by window number; k is checked to run from 1 without gaps.
  std::vector<format::Manifest> Manifests() const;
  // All rows of all data objects, read back from the bucket.
  std::vector<LakeRow> Rows() const;
  // The same, object by object.
  std::vector<std::vector<LakeRecord>> Objects() const;

  struct Counts : lake::SinkEvents {
    void OnProgress(const std::string&, const lake::SinkProgress& p) override { progress = p; }

    void OnCommitted(const std::string&, const lake::CommittedWindow&) override { ++windows; }

    void OnFetch(const std::string&, bool) override {}

    void OnDiscoveryPage(const std::string&, std::int64_t, bool) override {}

    void OnRecreated(const std::string&, const std::string&) override { ++recreated; }

    void OnFault(const std::string&, std::string_view, const Error&) override { ++faults; }

    lake::SinkProgress progress;
    int windows = 0;
    int faults = 0;
    int recreated = 0;
  };

  const Counts& counts() const { return counts_; }

  // Of the budget that all sinks share.
  std::int64_t memory_used() const { return budget_.used(); }

 private:
  io::Task<void> RunOne(std::unique_ptr<lake::QueueSink> sink,
                        std::stop_token drain,
                        std::stop_token stop);

  io::SimLoop loop_;
  std::unique_ptr<io::WorkerPool> pool_;
  MemoryBroker broker_;
  store::MemoryStore bucket_;
  store::FaultyStore faulty_;
  store::CheckedStore checked_;
  io::ManualClock clock_;
  io::SeededRandom random_;
  lake::MemoryBudget budget_;
  lake::SinkOptions options_;
  Counts counts_;
  std::stop_source drain_;
  std::stop_source stop_;
  std::vector<Status> ends_;
};

}  // namespace tidemark::testing

#pragma once
// A world that outlives processes (broker, bucket, time) and the processes' lives in it, for tests
// of the commit.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/sim_loop.h"
#include "lake/commit/checkpoints.h"
#include "lake/commit/commit_window.h"
#include "lake/commit/prepare_rollback.h"
#include "lake/commit/restart.h"
#include "store/checked_store.h"
#include "store/faulty_store.h"
#include "store/memory_store.h"
#include "tests/commit/power_cut.h"
#include "tests/support/await.h"
#include "tests/support/memory_broker.h"

namespace tidemark::test {

inline constexpr Micros kTen{1'788'516'000'000'000};  // 2026-09-04T10:00:00Z
inline constexpr std::int64_t kMinute = 60 * kMicrosPerSecond;

// Records of one window as a log gives them, a few at a time.
class ListSource final : public lake::WindowSource {
 public:
  struct Record {
    std::string partition;
    Offset offset;
    Micros ts;
    std::string payload;
  };

  explicit ListSource(std::vector<Record> records, std::size_t at_a_time = 3)
      : records_(std::move(records)), at_a_time_(at_a_time) {}

  void Rewind() override;
  io::Task<Result<std::span<const format::RecordView>>> Next() override;

  // The next `times` calls of Next fail with `error`.
  void Fail(Error error, int times) {
    error_ = std::move(error);
    failures_ = times;
  }

  std::int64_t records() const { return static_cast<std::int64_t>(records_.size()); }

 private:
  std::vector<Record> records_;
  std::size_t at_a_time_;
  std::size_t next_ = 0;
  std::vector<format::RecordView> views_;
  Error error_;
  int failures_ = 0;
};

// Window k of every test's log: five minutes from 10:00 on, `per_lane` records in each of the lanes
// a, b and c/d, offsets going on from the window before. Retention: nothing of lane a below
// `a_from`.
struct LogWindow {
  format::Window window;
  std::vector<ListSource::Record> records;
};

LogWindow WindowOfLog(std::int64_t k, int per_lane = 4, Offset a_from = Offset(0));

// What lives on when a process dies. The store is watched: a key that is written twice with other
// bytes ends the test.
struct World {
  explicit World(std::uint64_t seed = 1) : random(seed) {}

  io::SimLoop loop;
  std::unique_ptr<io::WorkerPool> pool = io::NewInlinePool(loop);
  testing::MemoryBroker broker{loop};
  store::MemoryStore bucket{loop};
  store::CheckedStore watched{bucket};
  store::FaultyStore store{loop, watched};
  io::ManualClock clock{kTen};
  io::SeededRandom random;

  std::optional<queen::KvRow> Row(const std::string& key);
  // The committed document, or k = 0.
  format::Committed Committed();
  // Data objects and manifests by key.
  std::map<std::string, std::string> Lake() const;
};

// One life of a process: claims on construction, gives the lease back on destruction unless it was
// cut.
class Life {
 public:
  explicit Life(World& world,
                const std::string& instance = "a",
                format::Form form = {},
                PowerCut cut = {});
  ~Life();

  World& world;
  PowerCut cut;
  CuttableBroker broker{world.broker, cut};
  CuttableStore store{world.store, cut};
  lake::Lease lease;
  std::vector<std::string> warnings;
  lake::CommitContext context;

  Result<lake::RestartPoint> Restart() { return Await(world.loop, lake::Restart(context)); }

  // Restarts, redoes what is pending and commits windows of the test log up to `k`.
  Status CommitUpTo(std::int64_t k);

  Result<lake::CommittedWindow> Commit(lake::Documents& documents,
                                       const LogWindow& window,
                                       std::vector<format::LostRange> lost = {});
  Result<lake::CommittedWindow> Redo(lake::Documents& documents,
                                     const LogWindow& window,
                                     std::vector<format::LostRange> lost = {});
};

}  // namespace tidemark::test

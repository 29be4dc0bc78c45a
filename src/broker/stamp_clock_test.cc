#include "broker/stamp_clock.h"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <random>
#include <set>
#include <thread>
#include <vector>

namespace tidemark::broker {
namespace {

constexpr std::int64_t kSecond = kMicrosPerSecond;

// Ends the transaction under way as the writer does.
void Commit(StampClock& stamps, bool reserve = false) {
  stamps.Published(stamps.WantedFloor(reserve));
}

TEST(StampClock, StampsNeverFallWhenTheClockDoes) {
  io::ManualClock clock(Micros(100 * kSecond));
  StampClock stamps(clock, Micros(0), 0);
  const Micros first = stamps.Stamp();
  clock.Set(Micros(50 * kSecond));
  EXPECT_GE(stamps.Stamp(), first);
}

TEST(StampClock, SafeTimeIsHeldBackByTheTransactionUnderWay) {
  io::ManualClock clock(Micros(100 * kSecond));
  StampClock stamps(clock, Micros(0), 0);
  Commit(stamps, true);
  const Micros stamp = stamps.Stamp();
  clock.Set(clock.Now() + 500'000);
  EXPECT_EQ(stamps.SafeTime(), stamp);
  Commit(stamps);
  EXPECT_EQ(stamps.SafeTime(), clock.Now());
}

TEST(StampClock, AStampIsNeverBelowAnAnsweredSafeTimeAfterTheClockStepsBack) {
  io::ManualClock clock(Micros(100 * kSecond));
  StampClock stamps(clock, Micros(0), 0);
  Commit(stamps, true);
  const auto safe = stamps.SafeTime();
  clock.Set(Micros(1 * kSecond));
  EXPECT_GE(stamps.Stamp(), *safe);
}

TEST(StampClock, NoSafeTimeIsAnsweredAboveWhatIsOnDisk) {
  io::ManualClock clock(Micros(100 * kSecond));
  StampClock stamps(clock, Micros(0), 0);
  EXPECT_EQ(stamps.SafeTime(), std::nullopt);
  const Micros floor = stamps.WantedFloor(true);
  stamps.Published(floor);
  EXPECT_LE(stamps.SafeTime().value(), floor);
  clock.Set(floor + 1);
  EXPECT_EQ(stamps.SafeTime(), std::nullopt);
}

TEST(StampClock, ANewProcessStampsAtOrAboveWhatTheLastOneAnswered) {
  io::ManualClock clock(Micros(100 * kSecond));
  StampClock before(clock, Micros(0), 0);
  const Micros on_disk = before.WantedFloor(true);
  before.Published(on_disk);
  clock.Set(on_disk);
  const auto answered = before.SafeTime();
  clock.Set(Micros(3 * kSecond));
  StampClock after(clock, on_disk, 0);
  EXPECT_GE(after.Stamp(), *answered);
}

TEST(StampClock, AnAbandonedTransactionRaisesNoCeiling) {
  io::ManualClock clock(Micros(100 * kSecond));
  StampClock stamps(clock, Micros(0), 0);
  stamps.Stamp();
  stamps.Published(std::nullopt);
  EXPECT_EQ(stamps.SafeTime(), std::nullopt);
}

TEST(StampClock, TheFloorLeftAtTheEndCoversStampsAndSafeTimesAndNoMore) {
  io::ManualClock clock(Micros(100 * kSecond));
  StampClock stamps(clock, Micros(0), 0);
  Commit(stamps, true);
  stamps.SafeTime();
  EXPECT_EQ(stamps.Close(), Micros(100 * kSecond));
  EXPECT_EQ(stamps.SafeTime(), std::nullopt);
}

TEST(StampClock, ALagKeepsSafeTimesBehindTheClock) {
  io::ManualClock clock(Micros(100 * kSecond));
  StampClock stamps(clock, Micros(0), 5 * kSecond);
  Commit(stamps, true);
  EXPECT_EQ(stamps.SafeTime(), Micros(95 * kSecond));
}

class JumpingClock final : public io::Clock {
 public:
  Micros Now() const override { return Micros(now_.load()); }

  void Set(std::int64_t now) { now_ = now; }

 private:
  std::atomic<std::int64_t> now_ = 1'000'000;
};

// One writer, three readers, a clock that jumps both ways. A reader notes what is visible after
// each safe time it was answered; nothing that becomes visible later may be stamped below.
TEST(StampClock, ConcurrentReadersNeverSeeARecordBelowAnAnsweredSafeTime) {
  JumpingClock clock;
  StampClock stamps(clock, Micros(0), 0);
  std::mutex mutex;
  std::vector<Micros> visible;
  std::atomic<bool> done = false;
  std::atomic<int> violations = 0;
  std::atomic<int> answers = 0;

  const auto read = [&] {
    Micros highest = kMinusInfinity;
    std::size_t seen = 0;
    while (!done) {
      {
        const std::lock_guard lock(mutex);
        for (; seen < visible.size(); ++seen) violations += visible[seen] < highest;
      }
      const auto safe = stamps.SafeTime();
      const std::lock_guard lock(mutex);
      // Visible when the safe time was answered, or a moment later: both are listed by the
      // discovery that follows it.
      seen = visible.size();
      if (safe) {
        highest = std::max(highest, *safe);
        ++answers;
      }
    }
  };
  std::vector<std::jthread> readers;
  readers.reserve(3);
  for (int i = 0; i < 3; ++i) readers.emplace_back(read);

  std::mt19937 random(11);
  for (int i = 0; i < 5'000; ++i) {
    clock.Set(1'000'000 + static_cast<std::int64_t>(random() % 5'000'000));
    const Micros stamp = stamps.Stamp();
    const Micros floor = stamps.WantedFloor(true);
    {
      const std::lock_guard lock(mutex);
      visible.push_back(stamp);
    }
    stamps.Published(floor);
  }
  // A loaded machine may not have run the readers yet.
  while (answers < 3) std::this_thread::yield();
  done = true;
  readers.clear();
  EXPECT_EQ(violations, 0);
}

}  // namespace
}  // namespace tidemark::broker

// Random faults and deaths, by seed: whatever happens, the lake ends as if nothing had. The watched
// store of the world ends the test when a key is ever written with other bytes.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "format/object_key.h"
#include "tests/commit/commit_rig.h"

namespace tidemark::test {
namespace {

constexpr std::int64_t kWindows = 6;
constexpr int kLivesMax = 400;
constexpr std::uint64_t kSeeds = 150;

class Disturber {
 public:
  Disturber(World& world, std::uint64_t seed) : world_(world), random_(seed) {}

  int Below(int n) { return static_cast<int>(random_.Uniform(0, n)); }

  void PlantFaults() {
    for (int i = Below(4); i > 0; --i) PlantBrokerFault();
    for (int i = Below(4); i > 0; --i) PlantStoreFault();
  }

  PowerCut NextCut() { return {.calls_left = 2 + Below(70), .acts = Below(2) == 0}; }

 private:
  io::Duration Delay() { return std::chrono::milliseconds(Below(40'000)); }

  void PlantBrokerFault() {
    constexpr testing::Call kCalls[] = {testing::Call::kKvGetMany,
                                        testing::Call::kKvPutEach,
                                        testing::Call::kKvPutAll,
                                        testing::Call::kKvPutAll,
                                        testing::Call::kKvDelete};
    testing::Fault fault{.call = kCalls[Below(5)], .nth = 1 + Below(12), .times = 1 + Below(3)};
    const Error unknown{.code = ErrorCode::kOutcomeUnknown, .message = "random"};
    switch (Below(5)) {
      case 0:
        fault.fail_before = Error{.code = ErrorCode::kUnavailable, .message = "random"};
        break;
      case 1:
        fault.fail_before = unknown;
        break;
      case 2:
        fault.fail_after = unknown;
        break;
      case 3:
        fault.delay_before = Delay();
        fault.fail_after = unknown;
        break;
      default:
        fault.delay_after = Delay();
    }
    world_.broker.Add(fault);
  }

  void PlantStoreFault() {
    constexpr store::Operation kOperations[] = {store::Operation::kPut,
                                                store::Operation::kPut,
                                                store::Operation::kList,
                                                store::Operation::kGet,
                                                store::Operation::kGet};
    constexpr store::Fault::Kind kKinds[] = {
        store::Fault::Kind::kFail, store::Fault::Kind::kLoseReply, store::Fault::Kind::kDelay};
    store::Fault fault{
        .operation = kOperations[Below(5)], .times = 1 + Below(3), .kind = kKinds[Below(3)]};
    fault.error = {.code = ErrorCode::kOutcomeUnknown, .message = "random"};
    fault.delay = Delay();
    world_.store.Plant(fault);
  }

  World& world_;
  io::SeededRandom random_;
};

void ExpectConsecutive(const World& world) {
  std::int64_t next = 1;
  for (const auto& [key, object] : world.bucket.objects()) {
    const auto k = format::ParseManifestKey("queen", "orders", key);
    if (k) {
      EXPECT_EQ(k->value(), next++) << key;
    }
  }
  EXPECT_EQ(next, kWindows + 1);
}

TEST(RandomFaults, NeverChangeTheLake) {
  std::map<std::string, std::string> expected;
  {
    World calm;
    Life life(calm);
    ASSERT_TRUE(life.CommitUpTo(kWindows).has_value());
    expected = calm.Lake();
  }
  int deaths = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    World world(seed);
    Disturber disturber(world, seed);
    int lives = 0;
    for (bool finished = false; !finished; ++lives) {
      ASSERT_LT(lives, kLivesMax);
      disturber.PlantFaults();
      Life life(world, disturber.Below(2) == 0 ? "a" : "b", {}, disturber.NextCut());
      const Status done = life.CommitUpTo(kWindows);
      finished = done.has_value();
      if (!finished) {
        ASSERT_TRUE(done.error().code == ErrorCode::kCancelled ||
                    done.error().code == ErrorCode::kPreconditionFailed)
            << done.error().message;
      }
    }
    deaths += lives - 1;
    ASSERT_EQ(world.Lake(), expected);
    ExpectConsecutive(world);
  }
  EXPECT_GT(deaths, 100);
}

// Two sinks of different names run at once and fight for the queue; one of them freezes now and
// then.
TEST(RandomFaults, NeverChangeTheLakeOfTwoOwners) {
  std::map<std::string, std::string> expected;
  {
    World calm;
    Life life(calm);
    ASSERT_TRUE(life.CommitUpTo(kWindows).has_value());
    expected = calm.Lake();
  }
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    World world(seed);
    Disturber disturber(world, seed);
    for (int round = 0; world.Committed().k.value() < kWindows; ++round) {
      ASSERT_LT(round, kLivesMax);
      Life frozen(world, "a", {}, {.calls_left = 4 + disturber.Below(30), .acts = true});
      auto point = frozen.Restart();
      world.loop.RunUntil(world.loop.Now() + std::chrono::seconds(31));
      frozen.cut.dead = true;
      disturber.PlantFaults();
      Life other(world, "b");
      const auto k = world.Committed().k.value();
      IgnoreError(other.CommitUpTo(k + disturber.Below(2)), "judged by the lake");
      // It wakes and goes on with what it knew.
      frozen.cut = {};
      if (point.has_value() && !point->redo)
        IgnoreError(frozen.Commit(point->documents,
                                  WindowOfLog(point->documents.committed_k().value() + 1)),
                    "judged by the lake");
      IgnoreError(other.CommitUpTo(k + 1), "judged by the lake");
    }
    ASSERT_EQ(world.Lake(), expected);
  }
}

}  // namespace
}  // namespace tidemark::test

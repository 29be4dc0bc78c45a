#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/service_rig.h"

namespace tidemark::testing {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::Pair;

std::vector<std::string> Queues(int count) {
  std::vector<std::string> queues;
  queues.reserve(static_cast<std::size_t>(count));
  for (int n = 0; n < count; ++n) queues.push_back(fmt::format("q-{}", n));
  return queues;
}

void LiveTraffic(ServiceRig& rig, io::Duration time) {
  for (io::Duration passed{0}; passed < time; passed += seconds(10)) {
    rig.Push(2, 1, 100);
    rig.Advance(seconds(10));
  }
}

TEST(FairSpread, FollowsInstancesThatComeAndGo) {
  ServiceRig rig(1, Queues(6));
  Instance& a = rig.Start("a");
  LiveTraffic(rig, minutes(2));
  EXPECT_THAT(rig.QueuesHeld(), ElementsAre(Pair("a", 6)));
  Instance& b = rig.Start("b");
  LiveTraffic(rig, minutes(10));
  EXPECT_THAT(rig.QueuesHeld(), ElementsAre(Pair("a", 3), Pair("b", 3)));
  Instance& c = rig.Start("c");
  LiveTraffic(rig, minutes(10));
  EXPECT_THAT(rig.QueuesHeld(), ElementsAre(Pair("a", 2), Pair("b", 2), Pair("c", 2)));
  rig.Kill(c);
  LiveTraffic(rig, minutes(5));
  EXPECT_THAT(rig.QueuesHeld(), ElementsAre(Pair("a", 3), Pair("b", 3)));
  b.loop.Freeze();
  LiveTraffic(rig, minutes(5));
  EXPECT_THAT(rig.QueuesHeld(), ElementsAre(Pair("a", 6)));
  b.loop.Thaw();
  LiveTraffic(rig, minutes(10));
  EXPECT_THAT(rig.QueuesHeld(), ElementsAre(Pair("a", 3), Pair("b", 3)));
  rig.Stop(a);
  LiveTraffic(rig, minutes(5));
  EXPECT_THAT(rig.QueuesHeld(), ElementsAre(Pair("b", 6)));
  EXPECT_GE(a.metrics.Value(obs::Metric::kQueuesGivenBack, {}), 4);
  rig.Advance(minutes(3));
  rig.ExpectWhole();
}

TEST(FairSpread, FiveStartedTogetherShareAHundredQueues) {
  ServiceRig rig(5, Queues(100));
  for (int n = 0; n < 5; ++n) rig.Start(fmt::format("sink-{}", n));
  rig.Advance(minutes(20));
  for (const auto& [instance, held] : rig.QueuesHeld()) {
    EXPECT_GE(held, 19) << instance;
    EXPECT_LE(held, 21) << instance;
  }
}

TEST(FairSpread, GivesNothingToAnInstanceThatServesOthers) {
  ServiceRig rig(1, Queues(4));
  Instance& a = rig.Start("a");
  rig.options().queues = {"q-3"};
  rig.Start("b");
  rig.Advance(minutes(20));
  EXPECT_THAT(rig.QueuesHeld(), ElementsAre(Pair("a", 4)));
  EXPECT_EQ(a.metrics.Value(obs::Metric::kQueuesGivenBack, {}), 0);
}

TEST(FairSpread, ASettledSpreadStaysAsItIs) {
  ServiceRig rig(1, Queues(5));
  Instance& a = rig.Start("a");
  Instance& b = rig.Start("b");
  rig.Advance(minutes(10));
  const auto given = [&] {
    return a.metrics.Value(obs::Metric::kQueuesGivenBack, {}) +
           b.metrics.Value(obs::Metric::kQueuesGivenBack, {});
  };
  const double before = given();
  rig.Advance(std::chrono::hours(6));
  EXPECT_EQ(given(), before);
  EXPECT_EQ(a.health.Check().status, 200);
  EXPECT_EQ(b.health.Check().status, 200);
}

// Its windows are another's now: that they do not come from here is no fault.
TEST(FairSpread, AnOwnerThatWasFrozenAndReplacedIsWell) {
  ServiceRig rig(1, Queues(1));
  Instance& a = rig.Start("a");
  LiveTraffic(rig, minutes(2));
  rig.Start("b");
  a.loop.Freeze();
  LiveTraffic(rig, minutes(5));
  EXPECT_THAT(rig.QueuesHeld(), ElementsAre(Pair("b", 1)));
  a.loop.Thaw();
  LiveTraffic(rig, minutes(30));
  EXPECT_THAT(rig.QueuesHeld(), ElementsAre(Pair("b", 1)));
  EXPECT_EQ(a.health.Check().status, 200) << a.health.Check().body;
}

TEST(QueueSet, TheStarFollowsQueuesThatAppear) {
  ServiceRig rig(1, Queues(2));
  rig.options().queues.clear();
  rig.Start("a");
  rig.Start("b");
  LiveTraffic(rig, minutes(2));
  rig.AddQueue("late/1");
  rig.AddQueue("late/2");
  LiveTraffic(rig, minutes(10));
  EXPECT_THAT(rig.QueuesHeld(), ElementsAre(Pair("a", 2), Pair("b", 2)));
  rig.Advance(minutes(3));
  rig.ExpectWhole();
}

TEST(QueueSet, AQueueThatTheBrokerDoesNotHaveIsToldToBeTriedAgain) {
  ServiceRig rig(1, {});
  rig.options().queues = {"nowhere"};
  const Instance& a = rig.Start("a");
  rig.Advance(seconds(10));
  ASSERT_EQ(a.lines.size(), 1u);
  EXPECT_THAT(a.lines[0], ::testing::HasSubstr("nowhere does not exist"));
  EXPECT_THAT(a.lines[0], ::testing::HasSubstr("next=\"tried again in 60 s\""));
}

// `*` from the latest on, over one queue that was there before.
class AllQueuesFromNow : public ::testing::Test {
 protected:
  AllQueuesFromNow() {
    rig_.options().queues = {};
    rig_.options().sink.start.kind = lake::Start::Kind::kLatest;
    rig_.Push(1, 3, 10);
    rig_.Advance(seconds(10));
  }

  // Its first records are there before the next listing.
  void CreateQueue() {
    rig_.Advance(seconds(30));
    rig_.AddQueue("new");
    rig_.PushTo("new", 2, 3, 10);
    rig_.Advance(seconds(25));
  }

  ServiceRig rig_{1, {"old"}};
};

TEST_F(AllQueuesFromNow, OneThatIsCreatedMeanwhileIsReadFromItsStart) {
  rig_.Start("a");
  CreateQueue();
  rig_.Advance(minutes(5));
  EXPECT_EQ(rig_.Rows("new"), rig_.Pushed("new"));
  EXPECT_TRUE(rig_.Rows("old").empty());
}

TEST_F(AllQueuesFromNow, OneThatIsCreatedMeanwhileOutlivesItsFirstSink) {
  Instance& a = rig_.Start("a");
  CreateQueue();
  ASSERT_EQ(rig_.HolderOf("new"), "a");
  ASSERT_TRUE(rig_.Manifests("new").empty());
  rig_.Kill(a);
  rig_.Start("b");
  rig_.Advance(minutes(10));
  EXPECT_EQ(rig_.Rows("new"), rig_.Pushed("new"));
}

// queen-interface 17.1, driver_basic: the budget forces a close, of the largest queue.
class ShortMemory : public ::testing::Test {
 protected:
  // Windows of `big` and `small`, of which none may close by age or size.
  std::pair<std::size_t, std::size_t> WindowsWith(std::int64_t memory_mib) {
    ServiceRig rig(1, {"big", "small"});
    rig.options().memory_bytes = memory_mib << 20;
    rig.options().sink.engine.rules = {.target_bytes = std::int64_t{1} << 40,
                                       .window_us_max = 3600 * kMicrosPerSecond,
                                       .guard_us = 0,
                                       .align = format::Align::kNone};
    rig.Start("sink-0");
    rig.Advance(seconds(30));
    rig.Push(1, 1, 10);
    for (int n = 0; n < 60; ++n) {
      rig.PushTo("big", 3, 10, 20'000);
      rig.Advance(seconds(10));
    }
    return {rig.Manifests("big").size(), rig.Manifests("small").size()};
  }
};

TEST_F(ShortMemory, ClosesTheLargestQueueEarly) {
  const auto [big, small] = WindowsWith(64);
  EXPECT_GT(big, 0u);
  EXPECT_EQ(small, 0u);
}

TEST_F(ShortMemory, IsNotFeltWhereThereIsEnough) {
  const auto [big, small] = WindowsWith(512);
  EXPECT_EQ(big, 0u);
  EXPECT_EQ(small, 0u);
}

}  // namespace
}  // namespace tidemark::testing

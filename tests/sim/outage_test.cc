#include <gtest/gtest.h>

#include <algorithm>

#include "format/kv_documents.h"
#include "tests/sim/service_rig.h"

namespace tidemark::testing {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

const std::vector<std::string> kFiveQueues{"q-0", "q-1", "q-2", "q-3", "q-4"};

// 108 MB an hour over the five queues, more than the budget of 64 MiB could hold.
void LiveTraffic(ServiceRig& rig, io::Duration time) {
  for (io::Duration passed{0}; passed < time; passed += seconds(10)) {
    rig.Push(3, 2, 10'000);
    rig.Advance(seconds(10));
  }
}

double Gauge(const Instance& lake, obs::Metric metric) { return lake.metrics.Value(metric, {}); }

std::int64_t WindowsOf(const ServiceRig& rig) {
  std::int64_t windows = 0;
  for (const auto& queue : rig.queues()) windows += std::ssize(rig.Manifests(queue));
  return windows;
}

struct Down {
  const char* name;
  bool store;  // else the broker
  Connection::Outage outage;
};

class AnHourWithout : public ::testing::TestWithParam<Down> {
 protected:
  void Set(ServiceRig& rig, Connection::Outage outage) {
    if (GetParam().store) {
      rig.SetStoreOutage(outage);
    } else {
      rig.SetBrokerOutage(outage);
    }
  }
};

// Also complaint C10: nothing moves on while the store does not take it, whatever the retries.
TEST_P(AnHourWithout, LosesNothingAndMemoryStaysFlat) {
  ServiceRig rig(1, kFiveQueues);
  rig.options().memory_bytes = std::int64_t{64} << 20;
  Instance& lake = rig.Start("sink-0");
  LiveTraffic(rig, minutes(5));
  const std::int64_t before = WindowsOf(rig);
  EXPECT_GT(before, 0);

  Set(rig, GetParam().outage);
  double used_at_most = 0;
  for (int minute = 0; minute < 60; ++minute) {
    LiveTraffic(rig, minutes(1));
    used_at_most = std::max(used_at_most, Gauge(lake, obs::Metric::kMemoryUsedBytes));
  }
  EXPECT_EQ(WindowsOf(rig), before);
  EXPECT_LE(used_at_most, Gauge(lake, obs::Metric::kMemoryLimitBytes));
  EXPECT_EQ(lake.health.Check().status, 503);

  Set(rig, Connection::Outage::kNone);
  LiveTraffic(rig, minutes(10));
  rig.Advance(minutes(3));
  rig.ExpectWhole();
  EXPECT_EQ(lake.health.Check().status, 200) << lake.health.Check().body;
  for (const auto& queue : rig.queues()) {
    EXPECT_LE(lake.metrics.Value(obs::Metric::kLagSeconds, {queue}), 70) << queue;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Peers,
    AnHourWithout,
    ::testing::Values(Down{"StoreRefused", true, Connection::Outage::kRefused},
                      Down{"StoreSilent", true, Connection::Outage::kSilent},
                      Down{"BrokerRefused", false, Connection::Outage::kRefused},
                      Down{"BrokerSilent", false, Connection::Outage::kSilent}),
    [](const auto& down) { return std::string(down.param.name); });

// What an old answer said proves nothing: an idle queue is well only as long as somebody says so.
TEST(AnHourWithoutTheBroker, TurnsAnIdleQueueRedAndItsEndGreen) {
  for (const auto outage : {Connection::Outage::kRefused, Connection::Outage::kSilent}) {
    ServiceRig rig(1, kFiveQueues);
    Instance& lake = rig.Start("sink-0");
    LiveTraffic(rig, minutes(5));
    rig.Advance(minutes(55));
    EXPECT_EQ(lake.health.Check().status, 200) << lake.health.Check().body;

    rig.SetBrokerOutage(outage);
    rig.Advance(minutes(3));  // the limit: three windows
    EXPECT_EQ(lake.health.Check().status, 200) << lake.health.Check().body;
    rig.Advance(minutes(57));
    EXPECT_EQ(lake.health.Check().status, 503);

    rig.SetBrokerOutage(Connection::Outage::kNone);
    rig.Advance(minutes(3));
    EXPECT_EQ(lake.health.Check().status, 200) << lake.health.Check().body;
  }
}

// The broker answers: whoever waits for the store waits with its lease.
TEST(AnHourWithoutTheStore, KeepsTheLeasesAndPausesFetching) {
  ServiceRig rig(1, kFiveQueues);
  rig.options().memory_bytes = std::int64_t{64} << 20;
  rig.Start("sink-0");
  rig.Start("sink-1");
  LiveTraffic(rig, minutes(5));
  rig.SetStoreOutage(Connection::Outage::kRefused);
  std::map<std::string, std::string> holders;
  for (const auto& queue : rig.queues()) holders[queue] = rig.HolderOf(queue);
  LiveTraffic(rig, minutes(40));
  const int fetches = rig.broker().calls(Call::kFetch);
  LiveTraffic(rig, minutes(20));
  EXPECT_EQ(rig.broker().calls(Call::kFetch), fetches);
  for (const auto& queue : rig.queues()) EXPECT_EQ(rig.HolderOf(queue), holders[queue]);
}

// Every minute a life of it begins, reads, and ends by the refusal.
TEST(AQueueThatFailsForGood, IsRedUntilItMovesOn) {
  ServiceRig rig(1, {"orders"});
  Instance& lake = rig.Start("sink-0");
  LiveTraffic(rig, minutes(5));
  rig.store_faults().Plant(
      {.operation = store::Operation::kPut,
       .key_part = "/w-",
       .times = 50,
       .error = {.code = ErrorCode::kPermissionDenied, .message = "put: 403 AccessDenied"}});
  LiveTraffic(rig, minutes(30));
  EXPECT_EQ(lake.health.Check().status, 503);
  LiveTraffic(rig, minutes(40));
  rig.Advance(minutes(3));
  EXPECT_EQ(lake.health.Check().status, 200) << lake.health.Check().body;
  rig.ExpectWhole();
}

TEST(AQueueThatFailsForGood, IsRedAlsoWhenItNeverGotAnywhere) {
  ServiceRig rig(1, {"orders"});
  const queen::KvPut unreadable{.key = format::CommittedKey("default", "orders"),
                                .value = "{}",
                                .ttl_seconds = std::nullopt,
                                .expect = std::nullopt};
  ASSERT_TRUE(rig.broker().kv().Put(unreadable, io::Duration(0)));
  Instance& lake = rig.Start("sink-0");
  rig.Advance(minutes(3));
  EXPECT_EQ(lake.health.Check().status, 200);
  rig.Advance(minutes(1));
  EXPECT_EQ(lake.health.Check().status, 503);
}

// Nothing of it is unread.
TEST(AQueueThatTheBrokerDoesNotHave, IsWell) {
  ServiceRig rig(1, {});
  rig.options().queues = {"nowhere"};
  Instance& lake = rig.Start("sink-0");
  rig.Advance(minutes(30));
  EXPECT_EQ(lake.health.Check().body, R"({"ok":true,"queues":1})");
}

}  // namespace
}  // namespace tidemark::testing

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "tests/sim/service_rig.h"

namespace tidemark::testing {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

constexpr int kInstances = 5;

// Lost answers and 503s of the broker, late and lost answers of the store: a PUT may be under way
// for longer than a lease lives.
void PlantFault(ServiceRig& rig, std::mt19937_64& random) {
  const auto call = static_cast<Call>(random() % 6);
  const int nth = 1 + static_cast<int>(random() % 4);
  switch (random() % 5) {
    case 0:
      rig.broker().FailBefore(call, nth);
      break;
    case 1:
      rig.broker().LoseReply(call, nth);
      break;
    case 2:  // 503 kv_timeout: it may have been acted on, and was
      rig.broker().Add(
          {.call = Call::kKvPutAll,
           .nth = nth,
           .delay_after = seconds(3),
           .fail_after =
               Error{.code = ErrorCode::kOutcomeUnknown, .message = "kv_timeout", .status = 503}});
      break;
    case 3:
      rig.store_faults().Plant({.operation = store::Operation::kPut,
                                .kind = store::Fault::Kind::kLoseReply,
                                .error = {.code = ErrorCode::kOutcomeUnknown, .message = "lost"}});
      break;
    default:
      rig.store_faults().Plant({.operation = store::Operation::kPut,
                                .kind = store::Fault::Kind::kDelay,
                                .delay = seconds(5 + random() % 70)});
  }
}

class Racing : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(Racing, FiveInstancesFrozenKilledAndUnheardWriteEveryRecordOnce) {
  std::mt19937_64 random(GetParam());
  ServiceRig rig(GetParam(), {"q-0", "q-1", "q-2"});
  std::vector<Instance*> instances;
  instances.reserve(kInstances);
  for (int n = 0; n < kInstances; ++n) instances.push_back(&rig.Start(fmt::format("sink-{}", n)));
  for (int round = 0; round < 60; ++round) {
    rig.Push(2, 2, 100);
    rig.Advance(seconds(1 + random() % 30));
    for (int fault = 0; fault < 2; ++fault) PlantFault(rig, random);
    const auto victim = random() % kInstances;
    Instance*& instance = instances[victim];
    if (instance->loop.frozen()) {
      instance->loop.Thaw();
    } else if (random() % 3 == 0) {
      rig.Kill(*instance);
      instance = &rig.Start(fmt::format("sink-{}", victim));
    } else {
      instance->loop.Freeze();
    }
  }
  for (Instance* instance : instances) instance->loop.Thaw();
  rig.Advance(minutes(30));
  rig.ExpectWhole();
}

INSTANTIATE_TEST_SUITE_P(Seeds, Racing, ::testing::Range<std::uint64_t>(1, 21));

}  // namespace
}  // namespace tidemark::testing

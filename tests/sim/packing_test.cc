// Answers that are packed while they wait: nothing of it is seen in the lake.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <random>

#include "tests/sim/lake_rig.h"
#include "tests/support/noise.h"

namespace tidemark::testing {
namespace {

constexpr std::int64_t kAlways = -1;
constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

// A few thousand records in seven lanes, of all sizes.
void PushLog(LakeRig& rig) {
  std::mt19937_64 random(3);
  Micros ts = At("10:00:00");
  for (int i = 0; i < 600; ++i) {
    ts = ts + static_cast<std::int64_t>(random() % 10) * kMicrosPerSecond;
    std::vector<std::string> payloads(1 + random() % 8);
    for (auto& payload : payloads) {
      const std::size_t size = random() % 50 == 0 ? 100'000 : random() % 900;
      payload = random() % 9 == 0 ? "null" : fmt::format("\"{}{}\"", i, std::string(size, 'x'));
    }
    rig.broker().log().Append("orders", fmt::format("lane-{}", random() % 7), ts, payloads);
  }
  rig.broker().log().PinSafeTime(At("12:00:00"));
}

// {key: bytes} of every data object.
std::map<std::string, std::string> ObjectsOf(std::int64_t pack_above, const format::Form& form) {
  LakeRig rig;
  rig.options().pack_above_bytes = pack_above;
  rig.options().commit.form = form;
  rig.options().engine.rules.target_bytes = 300'000;
  PushLog(rig);
  IgnoreError(rig.RunFor(std::chrono::minutes(5)), "judged by the bucket");
  std::map<std::string, std::string> objects;
  for (const auto& [key, object] : rig.bucket().objects()) {
    if (key.contains("/queue=orders/")) objects.emplace(key, *object.bytes);
  }
  return objects;
}

TEST(Packing, LeavesTheObjectsAsTheyAre) {
  format::Form parquet{.data_format = format::DataFormat::kParquet, .row_group_records = 100};
  format::Form lanes{.layout = format::Layout::kPerPartition};
  for (const format::Form& form : {format::Form(), parquet, lanes}) {
    const auto objects = ObjectsOf(kNever, form);
    EXPECT_GT(objects.size(), 3u);
    EXPECT_TRUE(ObjectsOf(kAlways, form) == objects) << format::Extension(form);
  }
}

// What a window of twelve heavy records holds while its object waits to be stored.
std::int64_t HeldWhileStoring(std::int64_t pack_above) {
  LakeRig rig;
  rig.options().pack_above_bytes = pack_above;
  rig.faults().Plant({.key_part = "/queue=orders/",
                      .kind = store::Fault::Kind::kDelay,
                      .delay = std::chrono::minutes(30)});
  const std::string heavy = fmt::format("\"{}\"", std::string(500'000, 'x'));
  for (int i = 0; i < 12; ++i) rig.broker().log().Append("orders", "a", At("10:00:00"), {heavy});
  rig.broker().log().PinSafeTime(At("12:00:00"));
  rig.Start("sink-0");
  rig.Advance(std::chrono::minutes(10));
  const std::int64_t held = rig.memory_used();
  rig.Kill();
  return held;
}

TEST(Packing, AWindowTakesLessOfTheBudget) {
  EXPECT_GT(HeldWhileStoring(kNever), HeldWhileStoring(kAlways) + 5'000'000);
}

// A window of 20 MiB that no compression makes smaller: one PUT, or parts where room is short.
int UploadsOfALargeObject(std::int64_t pack_above) {
  LakeRig rig;
  rig.options().pack_above_bytes = pack_above;
  std::mt19937_64 random(5);
  for (int i = 0; i < 60; ++i) {
    rig.broker().log().Append("orders", "a", At("10:00:00"), {NoisyPayload(400'000, random)});
  }
  rig.broker().log().PinSafeTime(At("12:00:00"));
  rig.Start("sink-0");
  rig.Advance(std::chrono::minutes(10));
  const int uploads = rig.faults().calls(store::Operation::kCreateUpload);
  EXPECT_EQ(rig.Manifests().size(), 1u);
  rig.Stop();
  return uploads;
}

TEST(Packing, WhereRoomIsShortALargeObjectGoesUpInParts) {
  EXPECT_EQ(UploadsOfALargeObject(kNever), 0);
  EXPECT_EQ(UploadsOfALargeObject(kAlways), 1);
}

class PackedAndTight : public ::testing::TestWithParam<std::uint64_t> {};

// A budget that a few records fill, lives that end anywhere: packed records are given back, moved
// to smaller bodies and read again like any other.
TEST_P(PackedAndTight, EveryRecordOnce) {
  std::mt19937_64 random(GetParam());
  LakeRig rig(GetParam(), kTightBudgetBytes);
  rig.TightenMemory();
  rig.options().pack_above_bytes = kAlways;
  std::vector<LakeRow> expected;
  Micros ts = At("10:00:00");
  for (int i = 0; i < 400; ++i) {
    ts = ts + static_cast<std::int64_t>(random() % 20) * kMicrosPerSecond;
    const std::string lane = fmt::format("lane-{}", random() % 9);
    const std::string payload = random() % 2 == 0 ? HeavyPayload() : NoisyPayload(20'000, random);
    const Offset offset = rig.broker().log().Append("orders", lane, ts, {payload});
    expected.emplace_back(lane, offset.value());
  }
  rig.broker().log().PinSafeTime(At("16:00:00"));
  rig.PlanDeath(random);
  rig.PlanDeath(random);
  IgnoreError(rig.LiveOut(), "judged by the bucket");
  auto rows = rig.Rows();
  std::ranges::sort(rows);
  std::ranges::sort(expected);
  EXPECT_EQ(rows, expected);
}

INSTANTIATE_TEST_SUITE_P(Seeds, PackedAndTight, ::testing::Range<std::uint64_t>(1, 9));

}  // namespace
}  // namespace tidemark::testing

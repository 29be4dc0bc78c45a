// Partitions deleted and created anew at any time, over the lives of a sink (decision 5).

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/sim/lake_rig.h"

namespace tidemark::testing {
namespace {

using format::LostRange;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Micros At(const std::string& text) { return *ParseIso("2026-09-04T" + text + "Z"); }

void Push(LakeRig& rig, const std::string& time, int records) {
  const std::vector<std::string> payloads(static_cast<std::size_t>(records), "1");
  rig.broker().log().Append("orders", "a", At(time), payloads);
}

void Live(LakeRig& rig, const std::string& safe) {
  rig.broker().log().PinSafeTime(At(safe));
  IgnoreError(rig.RunFor(seconds(30)), "judged by the bucket");
}

// Shorter, as long, and longer than the three records before.
class BetweenLives : public ::testing::TestWithParam<int> {};

TEST_P(BetweenLives, TheSuccessorIsReadFromItsStart) {
  LakeRig rig;
  rig.options().checkpoint_every = 1;
  Push(rig, "10:10:00", 3);
  Live(rig, "11:00:00");
  rig.broker().log().DeletePartition("orders", "a");
  Push(rig, "11:10:00", GetParam());
  Live(rig, "12:00:00");
  EXPECT_THAT(rig.Rows(), SizeIs(static_cast<std::size_t>(3 + GetParam())));
  EXPECT_EQ(rig.counts().recreated, 1);
  for (const auto& manifest : rig.Manifests()) EXPECT_THAT(manifest.lost, IsEmpty());
}

// The checkpoint is of the former, the windows since hold some of the successor.
TEST_P(BetweenLives, AnOldCheckpointOfTheFormerShipsNothingTwice) {
  LakeRig rig;
  rig.options().checkpoint_every = 100;
  Push(rig, "10:10:00", 3);
  Live(rig, "11:00:00");
  rig.broker().log().DeletePartition("orders", "a");
  Push(rig, "11:10:00", GetParam());
  Live(rig, "12:00:00");
  Push(rig, "12:10:00", 2);
  Live(rig, "13:00:00");
  EXPECT_THAT(rig.Rows(), SizeIs(static_cast<std::size_t>(3 + GetParam() + 2)));
  for (const auto& manifest : rig.Manifests()) EXPECT_THAT(manifest.lost, IsEmpty());
}

// Deleted between an intent and its redo: the redo tells nothing of the successor.
TEST_P(BetweenLives, ARedoLeavesTheSuccessorToALaterWindow) {
  LakeRig rig;
  Push(rig, "10:10:00", 3);
  rig.broker().Add({.call = Call::kKvPutAll,
                    .nth = 3,
                    .fail_before = Error{.code = ErrorCode::kInvalidArgument, .message = "no"}});
  Live(rig, "11:00:00");
  ASSERT_THAT(rig.Manifests(), SizeIs(1)) << "it should have failed at its commit";
  rig.broker().log().DeletePartition("orders", "a");
  Push(rig, "11:10:00", GetParam());
  rig.broker().log().PinSafeTime(At("12:00:00"));
  IgnoreError(rig.RunFor(std::chrono::minutes(5)), "judged by the bucket");
  ASSERT_THAT(rig.Manifests(), SizeIs(2));
  EXPECT_THAT(rig.Rows(), SizeIs(static_cast<std::size_t>(3 + GetParam())));
}

INSTANTIATE_TEST_SUITE_P(ShorterEqualLonger, BetweenLives, ::testing::Values(1, 3, 5));

// Random lives with deletions; partitions come back at once, or later. Without retention: where it
// took the record before the position, a longer successor cannot be told from the former.
class RandomSuccessors : public ::testing::TestWithParam<std::uint64_t> {
 protected:
  std::uint64_t Below(std::uint64_t n) { return random_() % n; }

  void PushSome() {
    for (auto n = 1 + Below(5); n > 0; --n) {
      ts_ = ts_ + static_cast<std::int64_t>(1 + Below(200)) * kMicrosPerSecond;
      const std::string lane = "lane-" + std::to_string(Below(3));
      const std::vector<std::string> payloads(1 + Below(4), "1");
      Offset at = rig_.broker().log().Append("orders", lane, ts_, payloads);
      for (std::size_t i = 0; i < payloads.size(); ++i, ++at) {
        living_[lane].emplace(lane, at.value(), ts_.value());
      }
    }
    rig_.broker().log().PinSafeTime(ts_);
  }

  void Disturb() {
    if (living_.empty()) return;
    auto lane = living_.begin();
    std::advance(lane, static_cast<std::ptrdiff_t>(Below(living_.size())));
    switch (Below(4)) {
      case 0:
      case 1:
        rig_.broker().log().DeletePartition("orders", lane->first);
        deleted_.merge(lane->second);
        living_.erase(lane);
        return;
      case 2:
        rig_.broker().FailBefore(static_cast<Call>(Below(6)), 1 + static_cast<int>(Below(4)));
        return;
      default:
        return;
    }
  }

  void LiveOnce() {
    rig_.Start("sink-" + std::to_string(Below(2)));
    for (auto step = 2 + Below(8); step > 0; --step) {
      if (Below(3) != 0) PushSome();
      if (Below(2) == 0) Disturb();
      rig_.Advance(std::chrono::milliseconds(Below(8'000)));
    }
    if (Below(2) == 0) {
      rig_.Kill();
    } else {
      rig_.Stop();
    }
  }

  // Nothing is there twice or was never pushed, an object holds one incarnation of a lane, and of
  // those that still live everything is shipped or told lost.
  void Judge() {
    std::map<std::string, std::set<LakeRecord>> pushed = living_;
    std::set<LakeRecord> known = deleted_;
    for (const auto& [lane, records] : living_) known.insert(records.begin(), records.end());
    std::set<LakeRecord> shipped;
    for (const auto& object : rig_.Objects()) {
      std::set<LakeRow> places;
      for (const auto& record : object) {
        const auto& [partition, offset, ts] = record;
        EXPECT_TRUE(known.contains(record)) << partition << " " << offset;
        EXPECT_TRUE(shipped.insert(record).second) << partition << " " << offset << " is twice";
        EXPECT_TRUE(places.emplace(partition, offset).second) << "two incarnations in a window";
      }
    }
    std::set<LakeRow> lost;
    for (const auto& manifest : rig_.Manifests()) {
      for (const auto& range : manifest.lost) {
        for (Offset at = range.from; at <= range.to; ++at) {
          lost.emplace(range.partition, at.value());
        }
      }
    }
    for (const auto& [lane, records] : living_) {
      for (const auto& record : records) {
        const auto& [partition, offset, ts] = record;
        EXPECT_TRUE(shipped.contains(record) || lost.contains({partition, offset}))
            << partition << " " << offset << " is gone in silence";
      }
    }
  }

  std::mt19937_64 random_{GetParam()};
  LakeRig rig_{GetParam()};
  Micros ts_ = At("10:00:00");
  std::map<std::string, std::set<LakeRecord>> living_;
  std::set<LakeRecord> deleted_;
};

TEST_P(RandomSuccessors, AreReadFromTheirStart) {
  rig_.options().engine.rules.window_us_max = 60 * kMicrosPerSecond;
  rig_.options().checkpoint_every = 1 + static_cast<std::int64_t>(Below(6));
  PushSome();
  IgnoreError(rig_.RunFor(seconds(30)), "the first life sees every lane before retention does");
  for (int life = 0; life < 12; ++life) LiveOnce();
  PushSome();
  rig_.broker().log().PinSafeTime(At("23:59:59"));
  IgnoreError(rig_.RunFor(std::chrono::hours(1)), "judged by the bucket");
  EXPECT_EQ(rig_.ends().back().error().code, ErrorCode::kCancelled)
      << rig_.ends().back().error().message;
  Judge();
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomSuccessors, ::testing::Range<std::uint64_t>(1, 80));

}  // namespace
}  // namespace tidemark::testing

// Partitions deleted and created anew at any time, over the lives of a sink (decision 5).

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/sim/lake_rig.h"
#include "tests/support/run_task.h"
#include "verify/verify_lake.h"

namespace tidemark::testing {
namespace {

using format::LostRange;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

void Push(LakeRig& rig, const std::string& time, int records) {
  const std::vector<std::string> payloads(static_cast<std::size_t>(records), "1");
  rig.broker().log().Append("orders", "a", At(time), payloads);
}

void Live(LakeRig& rig, const std::string& safe) {
  rig.broker().log().PinSafeTime(At(safe));
  IgnoreError(rig.RunFor(seconds(30)), "judged by the bucket");
}

// Three records are shipped by a first life, then the partition is another one.
void SucceedBetweenLives(LakeRig& rig, int records) {
  Push(rig, "10:10:00", 3);
  Live(rig, "11:00:00");
  rig.broker().log().DeletePartition("orders", "a");
  Push(rig, "11:10:00", records);
}

// Shorter, as long, and longer than the three records before.
class BetweenLives : public ::testing::TestWithParam<int> {};

TEST_P(BetweenLives, TheSuccessorIsReadFromItsStart) {
  LakeRig rig;
  rig.options().checkpoint_every = 1;
  SucceedBetweenLives(rig, GetParam());
  Live(rig, "12:00:00");
  EXPECT_THAT(rig.Rows(), SizeIs(static_cast<std::size_t>(3 + GetParam())));
  EXPECT_EQ(rig.counts().recreated, 1);
  for (const auto& manifest : rig.Manifests()) EXPECT_THAT(manifest.lost, IsEmpty());
}

// The checkpoint is of the former, the windows since hold some of the successor.
TEST_P(BetweenLives, AnOldCheckpointOfTheFormerShipsNothingTwice) {
  LakeRig rig;
  rig.options().checkpoint_every = 100;
  SucceedBetweenLives(rig, GetParam());
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

// What windows since the checkpoint hold is of the former: that ships nothing of what retention
// took of its successor.
TEST(RecreatedBetweenLives, WhatTheFormerShippedSinceTheCheckpointIsNotTheSuccessors) {
  LakeRig rig;
  rig.options().checkpoint_every = 100;
  SucceedBetweenLives(rig, 2);
  Push(rig, "11:20:00", 2);
  rig.broker().log().DropBefore("orders", "a", Offset(2));
  Live(rig, "12:00:00");
  Push(rig, "12:10:00", 1);
  Live(rig, "13:00:00");
  const auto manifests = rig.Manifests();
  ASSERT_THAT(manifests, SizeIs(3));
  EXPECT_THAT(manifests[1].lost, ElementsAre(LostRange{"a", Offset(0), Offset(1)}));
  EXPECT_EQ(manifests[1].records, 2);
  EXPECT_THAT(manifests[2].lost, IsEmpty());
}

// Random lives with deletions and retention; partitions come back at once, or later.
class RandomSuccessors : public ::testing::TestWithParam<std::uint64_t> {
 protected:
  explicit RandomSuccessors(std::int64_t budget_bytes = std::int64_t{1} << 30)
      : rig_(GetParam(), budget_bytes) {
    rig_.options().engine.rules.window_us_max = 60 * kMicrosPerSecond;
    rig_.options().checkpoint_every = 1 + static_cast<std::int64_t>(Below(6));
  }

  // One life of a partition.
  struct Incarnation {
    std::set<LakeRecord> records;
    std::size_t born_after = 0;  // windows in the bucket when it was created
  };

  std::uint64_t Below(std::uint64_t n) { return random_() % n; }

  void PushSome() {
    for (auto n = 1 + Below(5); n > 0; --n) {
      ts_ = ts_ + static_cast<std::int64_t>(1 + Below(200)) * kMicrosPerSecond;
      const std::string lane = "lane-" + std::to_string(Below(3));
      const std::vector<std::string> payloads(1 + Below(4), payload_);
      Offset at = rig_.broker().log().Append("orders", lane, ts_, payloads);
      auto& lives = lives_[lane];
      if (at == Offset(0)) {
        lives.push_back({.records = {}, .born_after = rig_.Manifests().size()});
        living_.insert(lane);
      }
      for (std::size_t i = 0; i < payloads.size(); ++i, ++at) {
        lives.back().records.emplace(lane, at.value(), ts_.value());
      }
    }
    rig_.broker().log().PinSafeTime(ts_);
  }

  void Disturb() {
    if (living_.empty()) return;
    auto lane = living_.begin();
    std::advance(lane, static_cast<std::ptrdiff_t>(Below(living_.size())));
    switch (Below(6)) {
      case 0:
      case 1:
        rig_.broker().log().DeletePartition("orders", *lane);
        living_.erase(lane);
        return;
      case 2:
        rig_.broker().FailBefore(static_cast<Call>(Below(6)), 1 + static_cast<int>(Below(4)));
        return;
      case 3:
      case 4: {
        if (lives_.at(*lane).size() > 1 && !overtakes_successors_) return;
        const auto head = lives_.at(*lane).back().records.size();
        const Offset kept(static_cast<std::int64_t>(1 + Below(head)));
        rig_.broker().log().DropBefore("orders", *lane, kept);
        return;
      }
      default:
        return;
    }
  }

  void LiveOnce() {
    if (Below(2) == 0) rig_.PlanDeath(random_);
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

  // Nothing is there twice or was never pushed, and an object holds one incarnation of a lane.
  std::set<LakeRecord> Shipped() {
    std::set<LakeRecord> known;
    for (const auto& [lane, lives] : lives_) {
      for (const auto& life : lives) known.insert(life.records.begin(), life.records.end());
    }
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
    return shipped;
  }

  // How often each offset is told lost, by windows after the first `windows`.
  std::multiset<LakeRow> LostAfter(std::size_t windows) {
    std::multiset<LakeRow> lost;
    const auto manifests = rig_.Manifests();
    for (std::size_t k = windows; k < manifests.size(); ++k) {
      for (const auto& range : manifests[k].lost) {
        for (Offset at = range.from; at <= range.to; ++at) {
          lost.emplace(range.partition, at.value());
        }
      }
    }
    return lost;
  }

  // Of the partitions that still live everything is shipped or told lost; and nothing is told more
  // often than it was there.
  void Judge() {
    const auto shipped = Shipped();
    const auto all_lost = LostAfter(0);
    for (const auto& [lane, lives] : lives_) {
      std::map<LakeRow, std::size_t> told;
      std::map<LakeRow, std::size_t> there;
      for (const auto& life : lives) {
        for (const auto& record : life.records) {
          const LakeRow row{lane, std::get<1>(record)};
          ++there[row];
          if (shipped.contains(record)) ++told[row];
        }
      }
      for (const auto& [row, times] : there) {
        EXPECT_LE(told[row] + all_lost.count(row), times)
            << lane << " " << std::get<1>(row) << " is told too often";
      }
      if (!living_.contains(lane)) continue;
      const auto lost = LostAfter(lives.back().born_after);
      for (const auto& record : lives.back().records) {
        const auto& [partition, offset, ts] = record;
        EXPECT_TRUE(shipped.contains(record) || lost.contains({partition, offset}))
            << partition << " " << offset << " is gone in silence";
      }
    }
  }

  void LiveLong() {
    PushSome();
    IgnoreError(rig_.RunFor(seconds(30)), "the first life sees every lane before retention does");
    for (int life = 0; life < 12; ++life) LiveOnce();
    PushSome();
    rig_.broker().log().PinSafeTime(At("23:59:59"));
    const Status ended = rig_.LiveOut();
    EXPECT_EQ(ended.error().code, ErrorCode::kCancelled) << ended.error().message;
  }

  // Verify takes such a lake for sound, but for windows whose records all went with their
  // partitions between intent and redo.
  void ExpectVerified() {
    const auto report =
        test::RunTask(rig_.loop(), verify::VerifyLake(rig_.bucket(), verify::VerifyOptions{}));
    for (const auto& finding : report.value().findings.kept()) {
      if (finding.message.starts_with("it has no record and nothing lost")) continue;
      ADD_FAILURE() << verify::ToString(finding.kind) << " " << finding.key << finding.message;
    }
  }

  // Retention also takes records of partitions that were created anew.
  bool overtakes_successors_ = false;
  std::mt19937_64 random_{GetParam()};
  LakeRig rig_;
  std::string payload_ = "1";
  Micros ts_ = At("10:00:00");
  std::map<std::string, std::vector<Incarnation>> lives_;
  std::set<std::string> living_;
};

TEST_P(RandomSuccessors, AreReadFromTheirStart) {
  LiveLong();
  Judge();
  ExpectVerified();
}

// Not all of it can be told then (docs/protocol.md), but nothing is shipped twice, nor as one.
TEST_P(RandomSuccessors, ShareNoWindowWhateverRetentionTook) {
  overtakes_successors_ = true;
  LiveLong();
  Shipped();
}

INSTANTIATE_TEST_SUITE_P(Seeds,
                         RandomSuccessors,
                         ::testing::Range<std::uint64_t>(1, 1 + SeedCount(79)));

// Buffers are given up and read again, windows are read from the log.
class RandomSuccessorsInTightMemory : public RandomSuccessors {
 protected:
  RandomSuccessorsInTightMemory() : RandomSuccessors(kTightBudgetBytes) {
    payload_ = HeavyPayload();
    rig_.TightenMemory();
  }
};

TEST_P(RandomSuccessorsInTightMemory, AreReadFromTheirStart) {
  LiveLong();
  Judge();
  ExpectVerified();
}

INSTANTIATE_TEST_SUITE_P(Seeds,
                         RandomSuccessorsInTightMemory,
                         ::testing::Range<std::uint64_t>(1, 1 + SeedCount(39)));

}  // namespace
}  // namespace tidemark::testing

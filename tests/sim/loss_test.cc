// Lost offsets over the lives of a sink: each exactly once, in the right window, and never one that
// was shipped (decision 8, complaint C13).

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "tests/sim/lake_rig.h"

namespace tidemark::testing {
namespace {

using format::LostRange;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const std::vector<std::string> kThree{"1", "2", "3"};

void Push(LakeRig& rig, const std::string& time, const std::string& lane = "a") {
  rig.broker().log().Append("orders", lane, At(time), kThree);
}

// One life that reads everything below `safe`.
void Live(LakeRig& rig, const std::string& safe) {
  rig.broker().log().PinSafeTime(At(safe));
  IgnoreError(rig.RunFor(seconds(30)), "judged by the bucket");
}

// The next life dies between the intent of its first window and the commit of it.
void DieBeforeCommit(LakeRig& rig, const std::string& safe) {
  rig.broker().Add({.call = Call::kKvPutAll,
                    .nth = 3,
                    .fail_before = Error{.code = ErrorCode::kInvalidArgument, .message = "no"}});
  const auto windows = rig.Manifests().size();
  Live(rig, safe);
  ASSERT_THAT(rig.Manifests(), SizeIs(windows + 1)) << "it should have failed at its commit";
  ASSERT_EQ(rig.ends().back().error().code, ErrorCode::kInvalidArgument);
}

std::vector<LostRange> LostIn(const LakeRig& rig, std::size_t k) {
  return rig.Manifests().at(k - 1).lost;
}

// C13: what retention took unread is told exactly, and reading goes on behind it.
TEST(Loss, C13ExpiredOffsetsAreToldInTheNextWindow) {
  LakeRig rig;
  Push(rig, "10:10:00");
  Live(rig, "11:00:00");
  Push(rig, "11:10:00");
  Push(rig, "11:20:00");
  rig.broker().log().DropBefore("orders", "a", Offset(6));
  Live(rig, "12:00:00");
  EXPECT_THAT(LostIn(rig, 1), IsEmpty());
  EXPECT_THAT(LostIn(rig, 2), ElementsAre(LostRange{"a", Offset(3), Offset(5)}));
  EXPECT_THAT(rig.Rows(), SizeIs(6));
}

TEST(Loss, WhatWasShippedSinceAnOldCheckpointIsNotLost) {
  LakeRig rig;
  rig.options().checkpoint_every = 100;
  Push(rig, "10:10:00");
  Push(rig, "11:10:00");
  Live(rig, "12:00:00");
  Push(rig, "12:10:00");
  rig.broker().log().DropBefore("orders", "a", Offset(6));
  Live(rig, "13:00:00");
  ASSERT_THAT(rig.Manifests(), SizeIs(3));
  EXPECT_THAT(LostIn(rig, 3), IsEmpty());
  EXPECT_THAT(rig.Rows(), SizeIs(9));
}

TEST(Loss, OnlyWhatWasNotShippedSinceAnOldCheckpointIsLost) {
  LakeRig rig;
  rig.options().checkpoint_every = 100;
  Push(rig, "10:10:00");
  Push(rig, "11:10:00");
  Live(rig, "12:00:00");
  Push(rig, "12:10:00");
  Push(rig, "12:20:00");
  rig.broker().log().DropBefore("orders", "a", Offset(9));
  Live(rig, "13:00:00");
  EXPECT_THAT(LostIn(rig, 3), ElementsAre(LostRange{"a", Offset(6), Offset(8)}));
}

// A loss of window 2's manifest is not told again by window 3 of the next life.
TEST(Loss, WhatAManifestSinceAnOldCheckpointTellsIsNotToldAgain) {
  LakeRig rig;
  rig.options().checkpoint_every = 100;
  Push(rig, "10:10:00");
  Live(rig, "11:00:00");
  Push(rig, "11:10:00");
  Push(rig, "11:20:00", "b");
  rig.broker().log().DropBefore("orders", "a", Offset(6));
  Live(rig, "12:00:00");
  ASSERT_THAT(LostIn(rig, 2), ElementsAre(LostRange{"a", Offset(3), Offset(5)}));
  Push(rig, "12:20:00");
  Live(rig, "13:00:00");
  EXPECT_THAT(LostIn(rig, 3), IsEmpty());
  EXPECT_THAT(rig.Rows(), SizeIs(9));
}

TEST(Loss, AnAuditReadsObjectsOfEitherLayout) {
  LakeRig rig;
  rig.options().checkpoint_every = 100;
  Push(rig, "10:10:00");
  Push(rig, "10:10:00", "b");
  Live(rig, "11:00:00");
  rig.options().commit.form.layout = format::Layout::kPerPartition;
  Push(rig, "11:10:00");
  Live(rig, "12:00:00");
  for (const char* lane : {"a", "b"}) {
    Push(rig, "12:10:00", lane);
    Push(rig, "12:20:00", lane);
  }
  rig.broker().log().DropBefore("orders", "a", Offset(9));
  rig.broker().log().DropBefore("orders", "b", Offset(6));
  Live(rig, "13:00:00");
  EXPECT_THAT(
      LostIn(rig, 3),
      ElementsAre(LostRange{"a", Offset(6), Offset(8)}, LostRange{"b", Offset(3), Offset(5)}));
}

// It rides in the intent: the redo tells it, the window after the redo does not.
TEST(Loss, ALossSurvivesACrashAfterItsIntent) {
  LakeRig rig;
  rig.options().checkpoint_every = 100;
  Push(rig, "10:10:00");
  Live(rig, "11:00:00");
  Push(rig, "11:10:00");
  Push(rig, "11:20:00");
  rig.broker().log().DropBefore("orders", "a", Offset(6));
  DieBeforeCommit(rig, "12:00:00");
  Push(rig, "12:10:00");
  Live(rig, "13:00:00");
  ASSERT_THAT(rig.Manifests(), SizeIs(3));
  EXPECT_THAT(LostIn(rig, 2), ElementsAre(LostRange{"a", Offset(3), Offset(5)}));
  EXPECT_THAT(LostIn(rig, 3), IsEmpty());
}

// Noticed by a life that made no window of it.
TEST(Loss, ALossSurvivesACrashBeforeItsIntent) {
  LakeRig rig;
  rig.options().checkpoint_every = 1;
  Push(rig, "10:10:00");
  Live(rig, "11:00:00");
  Push(rig, "11:10:00");
  rig.broker().log().DropBefore("orders", "a", Offset(6));
  Live(rig, "12:00:00");
  ASSERT_THAT(rig.Manifests(), SizeIs(1)) << "nothing is left for a window";
  Push(rig, "12:10:00", "b");
  Live(rig, "13:00:00");
  EXPECT_THAT(LostIn(rig, 2), ElementsAre(LostRange{"a", Offset(3), Offset(5)}));
}

TEST(Loss, ACheckpointPrecedesTheFirstIntent) {
  LakeRig rig;
  rig.faults().Plant({.operation = store::Operation::kPut, .key_part = "/checkpoint/", .times = 8});
  Push(rig, "10:10:00");
  rig.broker().log().PinSafeTime(At("11:00:00"));
  rig.Start("sink-0");
  rig.Advance(seconds(30));
  EXPECT_THAT(rig.Manifests(), IsEmpty());
  rig.Advance(minutes(10));
  EXPECT_THAT(rig.Manifests(), SizeIs(1));
}

TEST(Loss, ACheckpointThatIsRefusedForGoodHoldsNothingUp) {
  LakeRig rig;
  rig.faults().Plant({.operation = store::Operation::kPut,
                      .key_part = "/checkpoint/",
                      .times = 100,
                      .error = {.code = ErrorCode::kInvalidArgument, .message = "no"}});
  Push(rig, "10:10:00");
  Live(rig, "11:00:00");
  EXPECT_THAT(rig.Manifests(), SizeIs(1));
}

class RetentionBeforeRedo : public ::testing::TestWithParam<format::Layout> {};

// The object is in the bucket already: adopted, and nothing of it is lost.
TEST_P(RetentionBeforeRedo, LosesNothingThatWasUploaded) {
  LakeRig rig;
  rig.options().checkpoint_every = 100;
  rig.options().commit.form.layout = GetParam();
  Push(rig, "10:10:00");
  Live(rig, "11:00:00");
  Push(rig, "11:10:00");
  Push(rig, "11:20:00");
  DieBeforeCommit(rig, "12:00:00");
  rig.broker().log().DropBefore("orders", "a", Offset(6));
  Push(rig, "12:10:00");
  rig.broker().log().PinSafeTime(At("13:00:00"));
  IgnoreError(rig.RunFor(minutes(5)), "judged by the bucket");
  ASSERT_THAT(rig.Manifests(), SizeIs(3));
  EXPECT_THAT(LostIn(rig, 2), IsEmpty());
  EXPECT_THAT(LostIn(rig, 3), IsEmpty());
  EXPECT_THAT(rig.Rows(), SizeIs(12));
}

// Nothing was uploaded: the redo tells what it cannot build, once, and nothing of earlier windows.
TEST_P(RetentionBeforeRedo, TellsWhatIsGone) {
  LakeRig rig;
  rig.options().checkpoint_every = 100;
  rig.options().commit.form.layout = GetParam();
  Push(rig, "10:10:00");
  Live(rig, "11:00:00");
  Push(rig, "11:10:00");
  Push(rig, "11:20:00");
  rig.faults().Plant({.operation = store::Operation::kPut,
                      .key_part = "/w-",
                      .error = {.code = ErrorCode::kInvalidArgument, .message = "no"}});
  Live(rig, "12:00:00");
  rig.broker().log().DropBefore("orders", "a", Offset(6));
  Push(rig, "12:10:00");
  rig.broker().log().PinSafeTime(At("13:00:00"));
  IgnoreError(rig.RunFor(minutes(5)), "judged by the bucket");
  ASSERT_THAT(rig.Manifests(), SizeIs(3));
  EXPECT_THAT(LostIn(rig, 2), ElementsAre(LostRange{"a", Offset(3), Offset(5)}));
  EXPECT_THAT(LostIn(rig, 3), IsEmpty());
  EXPECT_THAT(rig.Rows(), SizeIs(9));
}

INSTANTIATE_TEST_SUITE_P(Layouts,
                         RetentionBeforeRedo,
                         ::testing::Values(format::Layout::kMerged, format::Layout::kPerPartition));

// Random lives: pushes, retention, unreadable segments and deaths at random times.
class RandomLosses : public ::testing::TestWithParam<std::uint64_t> {
 protected:
  explicit RandomLosses(std::int64_t budget_bytes = std::int64_t{1} << 30)
      : rig_(GetParam(), budget_bytes) {
    rig_.options().engine.rules.window_us_max = 60 * kMicrosPerSecond;
    rig_.options().checkpoint_every = 1 + static_cast<std::int64_t>(Below(6));
    if (Below(2) == 0) rig_.options().commit.form.layout = format::Layout::kPerPartition;
  }

  void LiveLongAndJudge() {
    PushSome();
    IgnoreError(rig_.RunFor(seconds(30)), "the first life sees every lane before retention does");
    for (int life = 0; life < 12; ++life) LiveOnce();
    ReadToTheEnd();
    Judge();
  }

  std::uint64_t Below(std::uint64_t n) { return random_() % n; }

  std::string AnyLane() { return "lane-" + std::to_string(Below(4)); }

  void PushSome() {
    for (auto n = 1 + Below(5); n > 0; --n) {
      ts_ = ts_ + static_cast<std::int64_t>(1 + Below(200)) * kMicrosPerSecond;
      const std::string lane = AnyLane();
      const std::vector<std::string> payloads(1 + Below(4), payload_);
      Offset at = rig_.broker().log().Append("orders", lane, ts_, payloads);
      for (std::size_t i = 0; i < payloads.size(); ++i, ++at) {
        pushed_.emplace(lane, at.value());
      }
      heads_[lane] = at;
    }
    rig_.broker().log().PinSafeTime(ts_);
  }

  // Of an offset that exists.
  std::pair<std::string, Offset> AnyPlace() {
    auto lane = heads_.begin();
    std::advance(lane, static_cast<std::ptrdiff_t>(Below(heads_.size())));
    const auto head = static_cast<std::uint64_t>(lane->second.value());
    return {lane->first, Offset(static_cast<std::int64_t>(Below(head)))};
  }

  void Disturb() {
    const auto [lane, offset] = AnyPlace();
    switch (Below(8)) {
      case 0:
      case 1:
        rig_.broker().log().DropBefore("orders", lane, offset + 1);
        return;
      case 2:
        rig_.broker().log().HideSegment("orders", lane, offset);
        return;
      case 3:
        rig_.broker().FailBefore(static_cast<Call>(Below(6)), 1 + static_cast<int>(Below(4)));
        return;
      case 4:
        rig_.broker().LoseReply(static_cast<Call>(Below(6)), 1 + static_cast<int>(Below(4)));
        return;
      case 5:
        rig_.faults().Plant({.operation = store::Operation::kPut});
        return;
      default:
        return;
    }
  }

  void LiveOnce() {
    rig_.PlanDeath(random_);
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

  // A last record, so that a window follows every loss, and lives until the deaths are used up.
  void ReadToTheEnd() {
    PushSome();
    rig_.broker().log().PinSafeTime(At("23:59:59"));
    const Status ended = rig_.LiveOut();
    EXPECT_EQ(ended.error().code, ErrorCode::kCancelled) << ended.error().message;
  }

  // Every offset pushed is in one window or in one lost range, and in no other.
  void Judge() {
    std::multiset<LakeRow> told;
    for (const auto& row : rig_.Rows()) told.insert(row);
    for (const auto& manifest : rig_.Manifests()) {
      for (const auto& range : manifest.lost) {
        for (Offset at = range.from; at <= range.to; ++at) {
          told.emplace(range.partition, at.value());
        }
      }
    }
    std::string wrong;
    for (const auto& row : pushed_) {
      const auto times = told.count(row);
      if (times == 1 || wrong.size() > 500) continue;
      wrong += fmt::format("{} {} is told {} times\n", std::get<0>(row), std::get<1>(row), times);
    }
    EXPECT_EQ(wrong, "") << rig_.ends().back().error().message;
    EXPECT_EQ(told.size(), pushed_.size());
  }

  std::mt19937_64 random_{GetParam()};
  LakeRig rig_;
  std::string payload_ = "{\"n\":1}";
  Micros ts_ = At("10:00:00");
  std::set<LakeRow> pushed_;
  std::map<std::string, Offset> heads_;
};

TEST_P(RandomLosses, EveryOffsetIsShippedOrLostOnce) { LiveLongAndJudge(); }

INSTANTIATE_TEST_SUITE_P(Seeds,
                         RandomLosses,
                         ::testing::Range<std::uint64_t>(1, 1 + SeedCount(119)));

// Buffers are given up and read again, windows are read from the log: nothing is told twice.
class RandomLossesInTightMemory : public RandomLosses {
 protected:
  RandomLossesInTightMemory() : RandomLosses(kTightBudgetBytes) {
    payload_ = HeavyPayload();
    rig_.TightenMemory();
  }
};

TEST_P(RandomLossesInTightMemory, EveryOffsetIsShippedOrLostOnce) { LiveLongAndJudge(); }

INSTANTIATE_TEST_SUITE_P(Seeds,
                         RandomLossesInTightMemory,
                         ::testing::Range<std::uint64_t>(1, 1 + SeedCount(39)));

}  // namespace
}  // namespace tidemark::testing

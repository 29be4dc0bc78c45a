#include "verify/lane_ledger.h"

#include <gtest/gtest.h>

namespace tidemark::verify {
namespace {

using Step = LaneLedger::Step;

class LaneLedgerTest : public testing::Test {
 protected:
  Step Add(std::int64_t window, std::int64_t offset, std::int64_t ts) {
    ledger_.BeginWindow(format::WindowNumber(window));
    return ledger_.Add("a", Offset(offset), Micros(ts));
  }

  void Lose(std::int64_t from, std::int64_t to) {
    ledger_.AddLost({"a", Offset(from), Offset(to)});
  }

  LaneLedger ledger_;
};

TEST_F(LaneLedgerTest, RowsOfOneSegmentShareATime) {
  EXPECT_EQ(Add(1, 0, 10), Step::kFits);
  EXPECT_EQ(Add(1, 1, 10), Step::kFits);
}

TEST_F(LaneLedgerTest, TheSameRowIsRepeated) {
  Add(1, 5, 10);
  EXPECT_EQ(Add(2, 5, 10), Step::kRepeated);
  EXPECT_EQ(ledger_.At("a").offset, Offset(5));
}

TEST_F(LaneLedgerTest, AnEarlierOffsetWithALaterTimeIsANewIncarnation) {
  Add(1, 5, 10);
  EXPECT_EQ(Add(2, 0, 11), Step::kNewIncarnation);
  EXPECT_EQ(Add(2, 1, 11), Step::kFits);
  EXPECT_EQ(ledger_.recreated(), 1);
  EXPECT_EQ(ledger_.lanes(), 1);
}

TEST_F(LaneLedgerTest, TwoIncarnationsNeverShareAWindow) {
  Add(1, 5, 10);
  EXPECT_EQ(Add(1, 0, 11), Step::kRepeated);
}

TEST_F(LaneLedgerTest, TimeMayNotFall) {
  Add(1, 0, 10);
  EXPECT_EQ(Add(1, 1, 9), Step::kTimeBack);
}

TEST_F(LaneLedgerTest, ANewLaneMayBeginAnywhere) {
  Add(1, 1000, 10);
  EXPECT_TRUE(ledger_.UnexplainedGaps().empty());
}

// Old 0 .. 5; of its successor 0 .. 8 were gone before they could be read.
TEST_F(LaneLedgerTest, ASuccessorThatLostItsFirstOffsetsIsNoFalseLoss) {
  for (std::int64_t at = 0; at < 6; ++at) Add(1, at, 10);
  ledger_.BeginWindow(format::WindowNumber(2));
  Lose(0, 8);
  EXPECT_EQ(Add(2, 9, 11), Step::kFits);
  EXPECT_TRUE(ledger_.FalseLosses().empty());
  EXPECT_TRUE(ledger_.UnexplainedGaps().empty());
}

// It was deleted before any of it was read.
TEST_F(LaneLedgerTest, APredecessorWithoutRowsIsNoFalseLoss) {
  ledger_.BeginWindow(format::WindowNumber(1));
  Lose(0, 4);
  for (std::int64_t at = 0; at < 9; ++at) Add(1, at, 10);
  EXPECT_TRUE(ledger_.FalseLosses().empty());
}

// What was unread of the former is told together with the successor's first rows.
TEST_F(LaneLedgerTest, TheRestOfTheFormerIsNoFalseLossWhenItsSuccessorComesAsFar) {
  for (std::int64_t at = 0; at < 3; ++at) Add(1, at, 10);
  ledger_.BeginWindow(format::WindowNumber(2));
  Lose(3, 5);
  for (std::int64_t at = 0; at < 9; ++at) Add(2, at, 11);
  EXPECT_TRUE(ledger_.FalseLosses().empty());
  EXPECT_TRUE(ledger_.UnexplainedGaps().empty());
}

TEST_F(LaneLedgerTest, ANewIncarnationMayBeginAnywhere) {
  Add(1, 5, 10);
  Add(2, 3, 11);
  EXPECT_TRUE(ledger_.UnexplainedGaps().empty());
}

TEST_F(LaneLedgerTest, AJumpIsAGap) {
  Add(1, 5, 10);
  Add(3, 9, 11);
  const auto gaps = ledger_.UnexplainedGaps();
  ASSERT_EQ(gaps.size(), 1U);
  EXPECT_EQ(gaps[0].range, (format::LostRange{"a", Offset(6), Offset(8)}));
  EXPECT_EQ(gaps[0].k, format::WindowNumber(3));
}

TEST_F(LaneLedgerTest, LossesExplainWhatTheyCover) {
  Add(1, 0, 10);
  Add(1, 10, 10);
  Lose(0, 3);
  Lose(5, 6);
  Lose(6, 20);
  const auto gaps = ledger_.UnexplainedGaps();
  ASSERT_EQ(gaps.size(), 1U);
  EXPECT_EQ(gaps[0].range, (format::LostRange{"a", Offset(4), Offset(4)}));
}

TEST_F(LaneLedgerTest, LossesOfOtherLanesExplainNothing) {
  Add(1, 0, 10);
  Add(1, 2, 10);
  ledger_.AddLost({"b", Offset(1), Offset(1)});
  EXPECT_EQ(ledger_.UnexplainedGaps().size(), 1U);
}

TEST_F(LaneLedgerTest, AJumpAcrossUnknownRowsIsNoGap) {
  Add(1, 0, 10);
  ledger_.SkipUnknown();
  Add(3, 9, 11);
  EXPECT_TRUE(ledger_.UnexplainedGaps().empty());
  Add(3, 11, 11);
  EXPECT_EQ(ledger_.UnexplainedGaps().size(), 1U);
}

TEST_F(LaneLedgerTest, ALossThatWasReadIsFalse) {
  Add(1, 4, 10);
  Add(1, 5, 10);
  Add(1, 8, 10);
  Lose(2, 6);
  EXPECT_EQ(ledger_.FalseLosses(), (std::vector<format::LostRange>{{"a", Offset(4), Offset(5)}}));
}

TEST_F(LaneLedgerTest, ALossOutsideWhatWasReadIsTrue) {
  Add(1, 4, 10);
  Lose(0, 3);
  Lose(5, 9);
  ledger_.AddLost({"never seen", Offset(0), Offset(9)});
  EXPECT_TRUE(ledger_.FalseLosses().empty());
}

TEST_F(LaneLedgerTest, ALossOfAnotherIncarnationIsNotJudged) {
  Add(1, 4, 10);
  Lose(5, 6);
  Add(2, 0, 11);
  for (std::int64_t offset = 1; offset < 9; ++offset) Add(2, offset, 12);
  EXPECT_TRUE(ledger_.FalseLosses().empty());
}

}  // namespace
}  // namespace tidemark::verify

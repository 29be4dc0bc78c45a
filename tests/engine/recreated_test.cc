// Partitions that are deleted and created anew under their name: noticed however they look, read
// from their start, never in a window with their predecessor (decision 5).

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/engine_rig.h"

namespace tidemark::testing {
namespace {

using format::LostRange;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* kQueue = "orders";

lake::ClosingRules LongWindows() {
  lake::ClosingRules rules = NoGuard();
  rules.window_us_max = kMicrosPerHour;
  return rules;
}

lake::EngineStart From(const std::string& time) {
  lake::EngineStart start;
  start.t_prev = At(time);
  start.checkpoint =
      format::Checkpoint{.k = format::WindowNumber(0), .t_end = start.t_prev, .positions = {}};
  return start;
}

// Window 3 ended at 10:00, where lane a stood at `next`.
lake::EngineStart After(std::int64_t next) {
  lake::EngineStart start = From("10:00:00");
  start.committed_k = format::WindowNumber(3);
  start.checkpoint->k = start.committed_k;
  start.checkpoint->positions = {{.partition = "a", .next = Offset(next)}};
  return start;
}

void Push(EngineRig& rig, const std::string& time, int records, const std::string& lane = "a") {
  const std::vector<std::string> payloads(static_cast<std::size_t>(records), "1");
  rig.log().Append(kQueue, lane, At(time), payloads);
}

void SettleAt(EngineRig& rig, const std::string& safe) {
  rig.log().PinSafeTime(At(safe));
  rig.Settle();
}

// Discovery names lane a with that many records; before one is read it is deleted.
void DeleteUnread(EngineRig& rig, int records) {
  Push(rig, "10:10:00", records);
  rig.log().PinSafeTime(At("10:15:00"));
  rig.Poll();
  rig.Answer(0);
  rig.log().DeletePartition(kQueue, "a");
}

std::vector<Row> RowsAt(const std::string& time, std::int64_t from, std::int64_t end) {
  std::vector<Row> rows;
  for (std::int64_t at = from; at < end; ++at) rows.emplace_back("a", at, At(time).value());
  return rows;
}

// How many records the successor of a lane of three has; retention of the former before.
class Successor : public ::testing::TestWithParam<int> {};

TEST_P(Successor, OfACaughtUpLaneIsReadFromItsStart) {
  EngineRig rig(From("10:00:00"), LongWindows());
  Push(rig, "10:10:00", 3);
  SettleAt(rig, "11:00:00");
  rig.log().DeletePartition(kQueue, "a");
  Push(rig, "11:10:00", GetParam());
  SettleAt(rig, "12:00:00");
  ASSERT_THAT(rig.windows(), SizeIs(2));
  EXPECT_EQ(rig.windows()[1].rows, RowsAt("11:10:00", 0, GetParam()));
  EXPECT_THAT(rig.windows()[1].lost, IsEmpty());
  EXPECT_THAT(rig.recreated(), ElementsAre("a"));
}

TEST_P(Successor, IsNoticedAtTheFirstSightAfterARestart) {
  EngineRig rig(After(3), LongWindows());
  Push(rig, "10:10:00", GetParam());
  SettleAt(rig, "11:00:00");
  ASSERT_THAT(rig.windows(), SizeIs(1));
  EXPECT_EQ(rig.windows()[0].rows, RowsAt("10:10:00", 0, GetParam()));
  EXPECT_THAT(rig.windows()[0].lost, IsEmpty()) << "what the former had is not known";
  EXPECT_THAT(rig.recreated(), ElementsAre("a"));
}

TEST_P(Successor, NeverSharesAWindowWithItsPredecessor) {
  EngineRig rig(From("10:00:00"), LongWindows());
  Push(rig, "10:10:00", 3);
  SettleAt(rig, "10:15:00");
  ASSERT_THAT(rig.windows(), IsEmpty());
  rig.log().DeletePartition(kQueue, "a");
  Push(rig, "10:20:00", GetParam());
  Push(rig, "10:30:00", 1, "b");
  SettleAt(rig, "11:00:00");
  ASSERT_THAT(rig.windows(), SizeIs(2));
  EXPECT_EQ(rig.windows()[0].rows, RowsAt("10:10:00", 0, 3));
  EXPECT_EQ(rig.windows()[0].window.end, At("10:20:00"));
  auto rows = RowsAt("10:20:00", 0, GetParam());
  rows.emplace_back("b", 0, At("10:30:00").value());
  EXPECT_EQ(rig.windows()[1].rows, rows);
  EXPECT_THAT(rig.recreated(), ElementsAre("a"));
}

INSTANTIATE_TEST_SUITE_P(ShorterEqualLonger, Successor, ::testing::Values(1, 2, 3, 4, 9));

TEST(Recreated, UnreadRecordsOfTheFormerAreLost) {
  EngineRig rig(From("10:00:00"), LongWindows());
  DeleteUnread(rig, 5);
  Push(rig, "10:20:00", 2);
  SettleAt(rig, "11:00:00");
  ASSERT_THAT(rig.windows(), SizeIs(1));
  EXPECT_EQ(rig.windows()[0].rows, RowsAt("10:20:00", 0, 2));
  EXPECT_THAT(rig.windows()[0].lost, ElementsAre(LostRange{"a", Offset(0), Offset(4)}));
}

TEST(Recreated, ADeletedPartitionLosesWhatWasNotRead) {
  EngineRig rig(From("10:00:00"), LongWindows());
  Push(rig, "10:30:00", 1, "b");
  DeleteUnread(rig, 5);
  SettleAt(rig, "11:00:00");
  ASSERT_THAT(rig.windows(), SizeIs(1));
  EXPECT_THAT(rig.windows()[0].lost, ElementsAre(LostRange{"a", Offset(0), Offset(4)}));
}

// An older broker says that it does not know the partition.
TEST(Recreated, AnUnknownPartitionLosesWhatWasNotReadAndHoldsNothingUp) {
  EngineRig rig(From("10:00:00"), LongWindows());
  Push(rig, "10:30:00", 1, "b");
  DeleteUnread(rig, 5);
  rig.Refuse("a", queen::EntryError::kUnknownPartition);
  SettleAt(rig, "11:00:00");
  ASSERT_THAT(rig.windows(), SizeIs(1));
  EXPECT_THAT(rig.windows()[0].lost, ElementsAre(LostRange{"a", Offset(0), Offset(4)}));
  rig.Refuse(std::nullopt);
  Push(rig, "11:10:00", 2);
  SettleAt(rig, "12:00:00");
  ASSERT_THAT(rig.windows(), SizeIs(2));
  EXPECT_EQ(rig.windows()[1].rows, RowsAt("11:10:00", 0, 2));
}

TEST(Recreated, WhatRetentionTookOfTheSuccessorIsLostFromItsStart) {
  EngineRig rig(From("10:00:00"), LongWindows());
  Push(rig, "10:10:00", 9);
  SettleAt(rig, "11:00:00");
  rig.log().DeletePartition(kQueue, "a");
  Push(rig, "11:10:00", 3);
  Push(rig, "11:20:00", 2);
  rig.log().DropBefore(kQueue, "a", Offset(3));
  SettleAt(rig, "12:00:00");
  ASSERT_THAT(rig.windows(), SizeIs(2));
  EXPECT_EQ(rig.windows()[1].rows, RowsAt("11:20:00", 3, 5));
  EXPECT_THAT(rig.windows()[1].lost, ElementsAre(LostRange{"a", Offset(0), Offset(2)}));
}

TEST(Recreated, TheSamePartitionAfterARestartIsNotTakenForAnother) {
  EngineRig rig(After(3), LongWindows());
  Push(rig, "09:10:00", 3);
  Push(rig, "10:10:00", 2);
  SettleAt(rig, "11:00:00");
  EXPECT_EQ(rig.rows(), RowsAt("10:10:00", 3, 5));
  EXPECT_THAT(rig.recreated(), IsEmpty());
}

TEST(Recreated, AnIdlePartitionCostsNoFetchAfterARestart) {
  EngineRig rig(After(3), LongWindows());
  Push(rig, "09:10:00", 3);
  SettleAt(rig, "11:00:00");
  EXPECT_EQ(rig.fetches(), 0);
}

TEST(Recreated, RetentionOfTheRecordBeforeIsNoSign) {
  EngineRig rig(From("10:00:00"), LongWindows());
  Push(rig, "10:10:00", 3);
  SettleAt(rig, "11:00:00");
  Push(rig, "11:10:00", 2);
  rig.log().DropBefore(kQueue, "a", Offset(3));
  SettleAt(rig, "12:00:00");
  ASSERT_THAT(rig.windows(), SizeIs(2));
  EXPECT_EQ(rig.windows()[1].rows, RowsAt("11:10:00", 3, 5));
  EXPECT_THAT(rig.windows()[1].lost, IsEmpty());
  EXPECT_THAT(rig.recreated(), IsEmpty());
}

// The lane's fetch is under way, and so is a page that is settled already.
void MakeThePageLate(EngineRig& rig) {
  rig.log().PinSafeTime(At("10:15:00"));
  rig.Poll();
  rig.Answer(0);
  rig.Poll();
  rig.AnswerAsIssued(true);
  rig.engine().OnInterval();
  rig.Poll();
  rig.AnswerAsIssued(false);
  ASSERT_EQ(rig.pending(), 2U);
}

// It tells of less than was read.
TEST(Recreated, ALateAnswerToAnOldPageIsNoProof) {
  EngineRig rig(From("10:00:00"), LongWindows());
  Push(rig, "10:10:00", 3);
  MakeThePageLate(rig);
  Push(rig, "10:20:00", 2);
  rig.Answer(0);  // the fetch, with all five
  SettleAt(rig, "11:00:00");
  EXPECT_THAT(rig.rows(), SizeIs(5));
  EXPECT_THAT(rig.recreated(), IsEmpty());
}

// It tells of more than the successor has.
TEST(Recreated, ALateAnswerAboutTheFormerMakesNoHolesInTheSuccessor) {
  EngineRig rig(From("10:00:00"), LongWindows());
  Push(rig, "10:10:00", 9);
  MakeThePageLate(rig);
  rig.log().DeletePartition(kQueue, "a");
  Push(rig, "10:20:00", 2);
  rig.Answer(0);  // the fetch, which tells of the successor
  SettleAt(rig, "11:00:00");
  Push(rig, "11:10:00", 3);
  SettleAt(rig, "12:00:00");
  ASSERT_THAT(rig.windows(), SizeIs(2));
  EXPECT_THAT(rig.windows()[0].lost, ElementsAre(LostRange{"a", Offset(0), Offset(8)}));
  EXPECT_EQ(rig.windows()[0].rows, RowsAt("10:20:00", 0, 2));
  EXPECT_THAT(rig.windows()[1].lost, IsEmpty());
  EXPECT_EQ(rig.windows()[1].rows, RowsAt("11:10:00", 2, 5));
  EXPECT_THAT(rig.recreated(), ElementsAre("a"));
}

// A page comes before every fetch, and an answer has room for one segment, that of the record
// before.
TEST(Recreated, LookingAtTheRecordBeforeDoesNotKeepALaneFromBeingRead) {
  EngineRig rig(From("10:00:00"), LongWindows());
  rig.log().SetCeilings({.entry_records = 1});
  Push(rig, "10:10:00", 5);
  rig.log().PinSafeTime(At("10:15:00"));
  for (int i = 0; i < 30; ++i) {
    rig.engine().OnInterval();
    rig.Poll();
    while (rig.pending() > 0) rig.Answer(0);
  }
  SettleAt(rig, "11:00:00");
  EXPECT_EQ(rig.rows(), RowsAt("10:10:00", 0, 5));
  EXPECT_LE(rig.fetches(), 15);
}

// The record before is in no answer, but retention never gives back what it took.
TEST(Recreated, ALogStartThatFallsIsProof) {
  EngineRig rig(From("10:00:00"), LongWindows());
  Push(rig, "10:10:00", 3);
  Push(rig, "10:20:00", 3);
  rig.log().DropBefore(kQueue, "a", Offset(3));
  SettleAt(rig, "11:00:00");
  rig.log().DeletePartition(kQueue, "a");
  Push(rig, "11:10:00", 5);
  Push(rig, "11:20:00", 1);
  Push(rig, "11:30:00", 4);
  rig.log().HideSegment(kQueue, "a", Offset(5));
  SettleAt(rig, "12:00:00");
  ASSERT_THAT(rig.windows(), SizeIs(2));
  EXPECT_THAT(rig.windows()[1].rows, SizeIs(9));
  EXPECT_THAT(rig.windows()[1].lost, ElementsAre(LostRange{"a", Offset(5), Offset(5)}));
  EXPECT_THAT(rig.recreated(), ElementsAre("a"));
}

// As long as the former, written within the same second.
TEST(Recreated, IsNoticedWithinASecond) {
  EngineRig rig(From("10:00:00"), LongWindows());
  Push(rig, "10:59:59.1", 3);
  SettleAt(rig, "10:59:59.5");
  rig.log().DeletePartition(kQueue, "a");
  Push(rig, "10:59:59.9", 3);
  SettleAt(rig, "12:00:00");
  ASSERT_THAT(rig.windows(), SizeIs(2));
  EXPECT_EQ(rig.windows()[1].rows, RowsAt("10:59:59.9", 0, 3));
}

// Retention overtook the former, then it was deleted: its loss is told, whatever came after.
TEST(Recreated, ALossOfTheFormerThatAwaitsItsAuditIsTold) {
  lake::EngineStart start = After(0);
  start.checkpoint->k = format::WindowNumber(1);
  start.checkpoint->t_end = At("08:00:00");
  EngineRig rig(std::move(start), LongWindows());
  Push(rig, "10:10:00", 3);
  Push(rig, "10:12:00", 2);
  rig.log().DropBefore(kQueue, "a", Offset(3));
  SettleAt(rig, "10:15:00");
  rig.log().DeletePartition(kQueue, "a");
  Push(rig, "10:20:00", 9);
  SettleAt(rig, "11:00:00");
  ASSERT_THAT(rig.windows(), SizeIs(2));
  EXPECT_EQ(rig.windows()[0].rows, RowsAt("10:12:00", 3, 5));
  EXPECT_THAT(rig.windows()[0].lost, ElementsAre(LostRange{"a", Offset(0), Offset(2)}));
  EXPECT_EQ(rig.windows()[1].rows, RowsAt("10:20:00", 0, 9));
  EXPECT_THAT(rig.windows()[1].lost, IsEmpty());
}

TEST(Recreated, TwiceIsNoticedTwice) {
  EngineRig rig(From("10:00:00"), LongWindows());
  Push(rig, "10:10:00", 3);
  SettleAt(rig, "10:15:00");
  for (const char* time : {"10:20:00", "10:30:00"}) {
    rig.log().DeletePartition(kQueue, "a");
    Push(rig, time, 4);
    SettleAt(rig, std::string(time).replace(4, 1, "5"));
  }
  SettleAt(rig, "11:00:00");
  ASSERT_THAT(rig.windows(), SizeIs(3));
  EXPECT_EQ(rig.windows()[1].rows, RowsAt("10:20:00", 0, 4));
  EXPECT_EQ(rig.windows()[2].rows, RowsAt("10:30:00", 0, 4));
  EXPECT_THAT(rig.recreated(), ElementsAre("a", "a"));
}

}  // namespace
}  // namespace tidemark::testing

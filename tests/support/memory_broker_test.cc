#include "tests/support/memory_broker.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "io/async.h"
#include "io/sim_loop.h"

namespace tidemark::testing {
namespace {

using queen::EntryError;

constexpr Micros kT0{1'788'516'000'000'000};

Micros At(std::int64_t seconds) { return kT0 + seconds * kMicrosPerSecond; }

template <typename T>
io::Task<void> Keep(io::Task<T> task, std::optional<T>& out) {
  out.emplace(co_await task);
}

class MemoryBrokerTest : public ::testing::Test {
 protected:
  template <typename T>
  T Run(io::Task<T> task) {
    std::optional<T> out;
    io::Spawn(loop_, Keep(std::move(task), out));
    loop_.Run();
    return std::move(out).value();
  }

  Result<queen::FetchAnswer> Fetch(std::vector<queen::FetchEntry> entries) {
    return Run(broker_.Fetch({.queue = "orders", .entries = std::move(entries)}));
  }

  queen::FetchEntryAnswer FetchOne(const std::string& partition,
                                   std::int64_t offset,
                                   std::int64_t max_bytes = 1 << 20) {
    fetched_ = Fetch({{partition, Offset(offset), max_bytes}}).value();
    return fetched_.entries.at(0);
  }

  queen::DiscoveryAnswer Discover(std::optional<Micros> since = std::nullopt,
                                  const std::string& after = "",
                                  std::size_t limit = 1000) {
    return Run(broker_.Discover({{"orders", since, after, limit}})).value();
  }

  std::vector<std::string> Names(const queen::DiscoveryAnswer& answer) {
    std::vector<std::string> names;
    for (const auto& p : answer.entries.at(0).partitions) names.push_back(p.name);
    return names;
  }

  io::SimLoop loop_;
  MemoryBroker broker_{loop_};
  queen::FetchAnswer fetched_;  // by FetchOne, whose records are of its body
};

TEST_F(MemoryBrokerTest, AnswersContiguousRecordsWithTheStampOfTheirSegment) {
  broker_.log().Append("orders", "a", At(1), {"1", "2"});
  broker_.log().Append("orders", "a", At(2), {R"({"n":3})"});
  const auto answer = Fetch({{"a", Offset(1)}}).value();
  const auto& records = answer.entries.at(0).records;
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0].offset, Offset(1));
  EXPECT_EQ(records[0].ts, At(1));
  EXPECT_EQ(records[1].ts, At(2));
  EXPECT_EQ(records[1].payload(answer.body->text()), R"({"n":3})");
  EXPECT_EQ(records[1].transaction_id(answer.body->text()), "t-2");
  EXPECT_EQ(answer.entries[0].high_watermark, Offset(3));
}

TEST_F(MemoryBrokerTest, ANullPayloadIsNoPayload) {
  broker_.log().Append("orders", "a", At(1), {"null"});
  EXPECT_EQ(FetchOne("a", 0).records[0].payload_size, 0u);
}

TEST_F(MemoryBrokerTest, TheHeadIsValidAndEmptyAndAboveItIsOutOfRange) {
  broker_.log().Append("orders", "a", At(1), {"1"});
  EXPECT_EQ(FetchOne("a", 1).error, EntryError::kNone);
  EXPECT_EQ(FetchOne("a", 2).error, EntryError::kOffsetOutOfRange);
}

TEST_F(MemoryBrokerTest, RetentionRaisesTheLogStartBySegments) {
  broker_.log().Append("orders", "a", At(1), {"1", "2"});
  broker_.log().Append("orders", "a", At(2), {"3", "4"});
  broker_.log().DropBefore("orders", "a", Offset(3));
  EXPECT_EQ(FetchOne("a", 1).error, EntryError::kOffsetOutOfRange);
  EXPECT_EQ(FetchOne("a", 1).log_start, Offset(2));
  EXPECT_EQ(FetchOne("a", 2).records.size(), 2u);
}

TEST_F(MemoryBrokerTest, AnUnwrittenPartitionIsEmptyAndAnUnknownQueueIsAnError) {
  EXPECT_EQ(FetchOne("a", 0).error, EntryError::kUnknownPartition);
  broker_.log().CreateQueue("orders");
  EXPECT_EQ(FetchOne("a", 0).error, EntryError::kNone);
  EXPECT_EQ(FetchOne("a", 1).error, EntryError::kOffsetOutOfRange);
  EXPECT_TRUE(Names(Discover()).empty());
}

TEST_F(MemoryBrokerTest, ANegativeOffsetIsRefused) {
  EXPECT_EQ(Fetch({{"a", Offset(-1)}}).error().code, ErrorCode::kInvalidArgument);
}

TEST_F(MemoryBrokerTest, AnEntryStopsAtItsBytesButTheFirstSegmentOfTheCallAlwaysComes) {
  for (int i = 0; i < 3; ++i) broker_.log().Append("orders", "a", At(i), {std::string(10, '1')});
  EXPECT_EQ(FetchOne("a", 0, 1).records.size(), 1u);
  EXPECT_EQ(FetchOne("a", 0, 20).records.size(), 2u);
}

TEST_F(MemoryBrokerTest, TheBytesOfACallAreSpentInEntryOrder) {
  broker_.log().Append("orders", "a", At(1), {std::string(10, '1')});
  broker_.log().Append("orders", "b", At(1), {std::string(10, '1')});
  broker_.log().SetCeilings({.call_bytes = 15});
  const auto answer = Fetch({{"b", Offset(0)}, {"a", Offset(0)}}).value();
  EXPECT_EQ(answer.entries.at(0).records.size(), 1u);
  EXPECT_TRUE(answer.entries.at(1).records.empty());
  EXPECT_EQ(answer.entries.at(1).high_watermark, Offset(1));
}

TEST_F(MemoryBrokerTest, AnEntryMayBeCutInTheMiddleOfASegment) {
  broker_.log().Append("orders", "a", At(1), {"1", "2", "3"});
  broker_.log().SetCeilings({.entry_records = 2});
  EXPECT_EQ(FetchOne("a", 0).records.size(), 2u);
  EXPECT_EQ(FetchOne("a", 2).records.size(), 1u);
}

TEST_F(MemoryBrokerTest, TheFirstRecordOfACallIsRenderedWhateverItsSize) {
  broker_.log().Append("orders", "a", At(1), {"1", "2"});
  broker_.log().SetCeilings({.text_bytes = 1});
  EXPECT_EQ(FetchOne("a", 0).records.size(), 1u);
}

TEST_F(MemoryBrokerTest, AHiddenSegmentIsSkippedInSilence) {
  broker_.log().Append("orders", "a", At(1), {"1", "2"});
  broker_.log().Append("orders", "a", At(2), {"3"});
  broker_.log().HideSegment("orders", "a", Offset(1));
  EXPECT_EQ(FetchOne("a", 0).records[0].offset, Offset(2));
}

TEST_F(MemoryBrokerTest, AnAnswerAboveTheAskedBoundIsExhausted) {
  broker_.log().Append("orders", "a", At(1), {std::string(100, '1')});
  queen::FetchRequest request{.queue = "orders", .entries = {{"a", Offset(0)}}};
  request.max_answer_bytes = 50;
  EXPECT_EQ(Run(broker_.Fetch(request)).error().code, ErrorCode::kExhausted);
}

TEST_F(MemoryBrokerTest, ADeletedPartitionStartsAgainAtZero) {
  broker_.log().Append("orders", "a", At(1), {"1", "2"});
  broker_.log().DeletePartition("orders", "a");
  EXPECT_TRUE(Names(Discover()).empty());
  EXPECT_EQ(broker_.log().Append("orders", "a", At(9), {"3"}), Offset(0));
}

TEST_F(MemoryBrokerTest, EnumerationPagesByNameAndAFullLastPageCostsAnEmptyOne) {
  for (const char* name : {"c", "a", "b", "d"}) broker_.log().Append("orders", name, At(1), {"1"});
  const auto first = Discover(std::nullopt, "", 2);
  EXPECT_EQ(Names(first), (std::vector<std::string>{"a", "b"}));
  const auto second = Discover(std::nullopt, first.entries[0].next, 2);
  EXPECT_EQ(Names(second), (std::vector<std::string>{"c", "d"}));
  ASSERT_FALSE(second.entries[0].next.empty());
  const auto third = Discover(std::nullopt, second.entries[0].next, 2);
  EXPECT_TRUE(Names(third).empty());
  EXPECT_TRUE(third.entries[0].next.empty());
}

TEST_F(MemoryBrokerTest, SinceModePagesByLastWriteThenName) {
  broker_.log().Append("orders", "b", At(1), {"1"});
  broker_.log().Append("orders", "a", At(2), {"1"});
  broker_.log().Append("orders", "c|d", At(1), {"1"});
  broker_.log().Append("orders", "old", At(0), {"1"});
  const auto first = Discover(At(1), "", 2);
  EXPECT_EQ(Names(first), (std::vector<std::string>{"b", "c|d"}));
  EXPECT_EQ(Names(Discover(At(1), first.entries[0].next, 2)), (std::vector<std::string>{"a"}));
}

TEST_F(MemoryBrokerTest, ACursorOfTheOtherModeIsBadBothWays) {
  broker_.log().Append("orders", "a", At(1), {"1"});
  EXPECT_EQ(Discover(std::nullopt, "t|1|a").entries[0].error, EntryError::kBadCursor);
  EXPECT_EQ(Discover(At(1), "n|a").entries[0].error, EntryError::kBadCursor);
  EXPECT_EQ(Discover(At(1), "t|x|a").entries[0].error, EntryError::kBadCursor);
}

TEST_F(MemoryBrokerTest, LastWriteIsExactFirstThenFlooredAndNeverFallsBack) {
  broker_.log().Append("orders", "a", At(1) + 500, {"1"});
  broker_.log().Append("orders", "a", At(1) + 900, {"2"});
  EXPECT_EQ(Discover().entries[0].partitions.at(0).last_write_at, At(1) + 500);
  broker_.log().Append("orders", "a", At(7) + 900, {"3"});
  EXPECT_EQ(Discover().entries[0].partitions.at(0).last_write_at, At(7));
  EXPECT_EQ(Discover().entries[0].partitions.at(0).last_offset, Offset(2));
}

TEST_F(MemoryBrokerTest, SafeTimeTrailsTheClockUnlessPinned) {
  broker_.log().CreateQueue("orders");
  loop_.RunUntil(std::chrono::seconds(60));
  EXPECT_EQ(Discover().safe_time, At(55));
  broker_.log().PinSafeTime(At(3));
  EXPECT_EQ(Discover().safe_time, At(3));
}

TEST_F(MemoryBrokerTest, AStampBelowAnAnsweredSafeTimeIsABugOfTheTest) {
  broker_.log().PinSafeTime(At(10));
  broker_.log().CreateQueue("orders");
  Discover();
  EXPECT_DEATH(broker_.log().Append("orders", "a", At(9), {"1"}), "answered safe time");
}

TEST_F(MemoryBrokerTest, MoreThanTheCallMayHoldIsRefused) {
  EXPECT_EQ(Fetch(std::vector<queen::FetchEntry>(1025)).error().code, ErrorCode::kInvalidArgument);
  const std::vector<queen::DiscoveryEntry> entries(65);
  EXPECT_EQ(Run(broker_.Discover(entries)).error().code, ErrorCode::kInvalidArgument);
}

TEST_F(MemoryBrokerTest, VersionsAreNotTheNextNumber) {
  std::int64_t last = 0;
  for (int i = 0; i < 10; ++i) {
    const auto put = Run(broker_.KvPutOne({"k", "1", std::nullopt, std::nullopt})).value();
    EXPECT_NE(put.version, last + 1);
    last = put.version;
  }
}

TEST_F(MemoryBrokerTest, ExpectZeroMeansAbsentAndALostPutShowsTheWinner) {
  const auto first = Run(broker_.KvPutOne({"k", "1", std::nullopt, 0})).value();
  EXPECT_TRUE(first.applied);
  const auto second = Run(broker_.KvPutOne({"k", "2", std::nullopt, 0})).value();
  EXPECT_FALSE(second.applied);
  EXPECT_EQ(second.version, first.version);
  EXPECT_EQ(second.current_value, "1");
}

TEST_F(MemoryBrokerTest, ABatchIsAllOrNothing) {
  const auto kept = Run(broker_.KvPutOne({"a", "1", std::nullopt, 0})).value();
  const auto lost = Run(broker_.KvPutAll({{"b", "2", std::nullopt, 0},
                                          {"a", "2", std::nullopt, kept.version + 99}}))
                        .value();
  EXPECT_FALSE(lost.applied);
  EXPECT_EQ(lost.failed_index, 1u);
  EXPECT_EQ(Run(broker_.KvGetMany({"a", "b"})).value().size(), 1u);
  const auto won =
      Run(broker_.KvPutAll({{"b", "2", std::nullopt, 0}, {"a", "2", std::nullopt, kept.version}}))
          .value();
  EXPECT_TRUE(won.applied);
  const auto rows = Run(broker_.KvGetMany({"a", "b"})).value();
  EXPECT_EQ(rows.at(0).version, won.versions.at(1));
  EXPECT_EQ(rows.at(1).version, won.versions.at(0));
}

TEST_F(MemoryBrokerTest, TheSameKeyTwiceInABatchIsRefused) {
  const auto result = Run(broker_.KvPutAll(
      {{"a", "1", std::nullopt, std::nullopt}, {"a", "2", std::nullopt, std::nullopt}}));
  EXPECT_EQ(result.error().code, ErrorCode::kInvalidArgument);
}

TEST_F(MemoryBrokerTest, AnExpiredRowCountsAsAbsent) {
  Run(broker_.KvPutOne({"k", "1", 10, 0})).value();
  loop_.RunUntil(loop_.Now() + std::chrono::seconds(9));
  EXPECT_EQ(Run(broker_.KvGetMany({"k"})).value().size(), 1u);
  loop_.RunUntil(loop_.Now() + std::chrono::seconds(1));
  EXPECT_TRUE(Run(broker_.KvGetMany({"k"})).value().empty());
  EXPECT_TRUE(Run(broker_.KvPutOne({"k", "2", std::nullopt, 0})).value().applied);
}

TEST_F(MemoryBrokerTest, DeleteIsFencedByTheVersion) {
  const auto put = Run(broker_.KvPutOne({"k", "1", std::nullopt, 0})).value();
  EXPECT_FALSE(Run(broker_.KvDelete("k", put.version + 1)).value().applied);
  EXPECT_TRUE(Run(broker_.KvDelete("k", put.version)).value().applied);
  EXPECT_TRUE(Run(broker_.KvGetMany({"k"})).value().empty());
}

TEST_F(MemoryBrokerTest, ACallThatFailsBeforeDidNothing) {
  broker_.FailBefore(Call::kKvPutEach, 2, 7000);
  EXPECT_TRUE(Run(broker_.KvPutOne({"a", "1", std::nullopt, 0})).has_value());
  const auto failed = Run(broker_.KvPutOne({"b", "1", std::nullopt, 0}));
  EXPECT_EQ(failed.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(failed.error().retry_after_ms, 7000);
  EXPECT_TRUE(Run(broker_.KvGetMany({"b"})).value().empty());
  EXPECT_EQ(broker_.calls(Call::kKvPutEach), 2);
}

TEST_F(MemoryBrokerTest, ALostReplyWasActedOn) {
  broker_.LoseReply(Call::kKvPutEach);
  const auto lost = Run(broker_.KvPutOne({"a", "1", std::nullopt, 0}));
  EXPECT_EQ(lost.error().code, ErrorCode::kOutcomeUnknown);
  EXPECT_EQ(Run(broker_.KvGetMany({"a"})).value().size(), 1u);
}

TEST_F(MemoryBrokerTest, ADelayedAnswerShowsTheLogOfWhenItWasRead) {
  broker_.log().Append("orders", "a", At(1), {"1"});
  broker_.Add({.call = Call::kFetch, .delay_after = std::chrono::seconds(5)});
  std::optional<Result<queen::FetchAnswer>> late;
  io::Spawn(loop_, Keep(broker_.Fetch({.queue = "orders", .entries = {{"a", Offset(0)}}}), late));
  loop_.RunUntil(std::chrono::seconds(1));
  broker_.log().Append("orders", "a", At(2), {"2"});
  EXPECT_FALSE(late.has_value());
  loop_.Run();
  EXPECT_EQ(late->value().entries.at(0).high_watermark, Offset(1));
}

TEST_F(MemoryBrokerTest, AFaultMayMeetSeveralCalls) {
  broker_.Add({.call = Call::kListQueues, .nth = 1, .times = 2, .fail_before = Error{}});
  EXPECT_FALSE(Run(broker_.ListQueues()).has_value());
  EXPECT_FALSE(Run(broker_.ListQueues()).has_value());
  EXPECT_TRUE(Run(broker_.ListQueues()).has_value());
}

}  // namespace
}  // namespace tidemark::testing

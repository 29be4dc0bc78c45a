#include "edge/wal/wal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "format/source_token.h"
#include "tests/support/wal_rig.h"

namespace tidemark::edge {
namespace {

using test::WalLife;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

format::PositionRange Range(int first, int last) {
  return {.first = Position(first), .last = Position(last)};
}

std::string Token(std::string_view stream, std::string_view place) {
  return format::EncodeSourceToken({.stream = stream, .place = place});
}

TEST(Wal, CountsPositionsFromOneAndReadsBackInOrder) {
  io::LossyFileSystem disk;
  WalLife life(disk);
  ASSERT_TRUE(life.Open());
  EXPECT_TRUE(life.wal().opening().is_new);
  EXPECT_EQ(life.Append({"a", "b"}), Range(1, 2));
  EXPECT_EQ(life.Append({"c"}), Range(3, 3));
  EXPECT_EQ(life.wal().synced_through(), Position(3));
  EXPECT_THAT(life.Payloads(), ElementsAre("a", "b", "c"));
  EXPECT_THAT(life.Payloads(Position(3)), ElementsAre("c"));
}

TEST(Wal, GoesOnWhereItStopped) {
  io::LossyFileSystem disk;
  Epoch epoch;
  for (int life_number = 0; life_number < 4; ++life_number) {
    WalLife life(disk);
    ASSERT_TRUE(life.Open());
    if (life_number == 0) epoch = life.wal().epoch();
    EXPECT_EQ(life.wal().epoch(), epoch);
    EXPECT_EQ(life.Append({"x"}), Range(life_number + 1, life_number + 1));
    if (life_number % 2 == 0) life.Kill();
  }
  WalLife last(disk);
  ASSERT_TRUE(last.Open());
  EXPECT_FALSE(last.wal().opening().is_new);
  EXPECT_THAT(last.Payloads(), ElementsAre("x", "x", "x", "x"));
}

TEST(Wal, StampsTimeOnceAndKeepsIt) {
  io::LossyFileSystem disk;
  WalLife life(disk);
  ASSERT_TRUE(life.Open());
  const Micros start = life.clock.Now();
  ASSERT_TRUE(life.Append({"a"}));
  life.clock.Set(start - 900'000);
  ASSERT_TRUE(life.Append({"a small step back stands still"}));
  life.clock.Set(start - 5'000'000);
  life.clock_synced = false;
  ASSERT_TRUE(life.Append({"a large one is taken as it is"}));
  const auto pool = io::NewInlinePool(life.loop);
  WalReader reader(life.wal(), *pool, Position(1));
  std::vector<format::WalRecord> records;
  std::vector<WalBatch> batches;
  while (!reader.AtEnd()) {
    batches.push_back(std::move(**test::Await(life.loop, reader.Next())));
    for (const auto& record : batches.back().records) records.push_back(record);
  }
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(records[0].ingest_time, start);
  EXPECT_EQ(records[1].ingest_time, start);
  EXPECT_EQ(records[2].ingest_time, start - 5'000'000);
  EXPECT_TRUE(records[1].clock_synced);
  EXPECT_FALSE(records[2].clock_synced);
}

TEST(Wal, OnlyOneProcessHasIt) {
  io::LossyFileSystem disk;
  WalLife life(disk);
  ASSERT_TRUE(life.Open());
  WalLife other(disk);
  const Status opened = other.Open();
  ASSERT_FALSE(opened.has_value());
  EXPECT_EQ(opened.error().code, ErrorCode::kAlreadyExists);
  EXPECT_THAT(opened.error().message, HasSubstr("another process"));
}

TEST(Wal, RefusesAPayloadAboveTheLimitAndNamesIt) {
  io::LossyFileSystem disk;
  WalLife life(disk, {.max_record_bytes = 3});
  ASSERT_TRUE(life.Open());
  const auto refused = life.Append({"abc", "abcd"});
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(refused.error().message, HasSubstr("record 2 has 4 bytes, the limit is 3"));
  EXPECT_EQ(life.Append({"abc"}), Range(1, 1));
}

TEST(Wal, RemembersTheLatestPlaceOfEachStream) {
  io::LossyFileSystem disk;
  {
    WalLife life(disk);
    ASSERT_TRUE(life.Open());
    ASSERT_TRUE(life.Append({"a"}, Token("f", "10")));
    ASSERT_TRUE(life.Append({"b"}, Token("g", "5")));
    ASSERT_TRUE(life.Append({"c"}, Token("f", "20")));
    ASSERT_TRUE(life.Append({"d"}));
    EXPECT_EQ(life.wal().LatestPlace("drop", "f"), "20");
    life.Kill();
  }
  WalLife life(disk);
  ASSERT_TRUE(life.Open());
  EXPECT_EQ(life.wal().LatestPlace("drop", "f"), "20");
  EXPECT_EQ(life.wal().Streams("drop").size(), 2u);
  EXPECT_EQ(life.wal().LatestPlace("other", "f"), std::nullopt);
  EXPECT_THAT(life.wal().Streams("dro"), IsEmpty());
}

TEST(Wal, RemovesWholeSegmentsAndKeepsTheirPlaces) {
  io::LossyFileSystem disk;
  const WalOptions options{.segment_bytes = 400};
  {
    WalLife life(disk, options);
    ASSERT_TRUE(life.Open());
    ASSERT_TRUE(life.Append({"first"}, Token("f", "10")));
    for (int i = 0; i < 30; ++i) ASSERT_TRUE(life.Append({std::string(50, 'x')}));
    const std::size_t before = life.wal().segments().size();
    const std::int64_t bytes = life.wal().bytes();
    ASSERT_GT(before, 5u);
    ASSERT_TRUE(test::Await(life.loop, life.wal().RemoveThrough(Position(20))));
    EXPECT_LT(life.wal().segments().size(), before);
    EXPECT_LE(life.wal().segments().front().first, Position(21));
    EXPECT_LT(life.wal().bytes(), bytes);
    EXPECT_THAT(life.Payloads(Position(1)), ElementsAre("not found"));
    ASSERT_TRUE(test::Await(life.loop, life.wal().RemoveThrough(Position(31))));
    EXPECT_EQ(life.wal().segments().size(), 1u);
    life.Kill();
  }
  WalLife life(disk, options);
  ASSERT_TRUE(life.Open());
  EXPECT_EQ(life.wal().LatestPlace("drop", "f"), "10");
  EXPECT_EQ(life.Append({"y"}), Range(32, 32));
}

// The places of many streams make a header that is longer than a segment should be.
TEST(Wal, ASegmentWithALongHeaderTakesGroupsAndStays) {
  io::LossyFileSystem disk;
  const WalOptions options{.segment_bytes = 300, .max_bytes = 1000};
  {
    WalLife life(disk, options);
    ASSERT_TRUE(life.Open());
    for (int i = 0; i < 100; ++i) {
      ASSERT_TRUE(life.Append({"x"}, Token("stream " + std::to_string(i), "1")));
      ASSERT_TRUE(test::Await(life.loop, life.wal().RemoveThrough(Position(i + 1))));
    }
    life.Kill();
  }
  for (int position = 101; position <= 103; ++position) {
    WalLife life(disk, options);
    ASSERT_TRUE(life.Open());
    ASSERT_TRUE(test::Await(life.loop, life.wal().RemoveThrough(Position(position - 1))));
    EXPECT_EQ(life.Append({"y"}), Range(position, position));
    ASSERT_TRUE(test::Await(life.loop, life.wal().RemoveThrough(Position(position))));
    EXPECT_THAT(life.Payloads(Position(position)), ElementsAre("y"));
    EXPECT_EQ(life.wal().Streams("drop").size(), 100u);
  }
}

TEST(Wal, WithholdsAboveMaxBytesUntilSegmentsGo) {
  io::LossyFileSystem disk;
  WalLife life(disk, {.segment_bytes = 400, .max_bytes = 2000});
  ASSERT_TRUE(life.Open());
  Result<format::PositionRange> last;
  int taken = 0;
  while ((last = life.Append({std::string(50, 'x')}))) ++taken;
  EXPECT_EQ(last.error().code, ErrorCode::kExhausted);
  EXPECT_GT(last.error().retry_after_ms, 0);
  EXPECT_THAT(last.error().message, HasSubstr("wal.max_bytes"));
  EXPECT_LE(life.wal().bytes(), 2000);
  EXPECT_THAT(life.wal().withheld(), HasSubstr("wal.max_bytes"));
  ASSERT_TRUE(test::Await(life.loop, life.wal().RemoveThrough(Position(taken))));
  EXPECT_EQ(life.wal().withheld(), "");
  EXPECT_EQ(life.Append({"y"}), Range(taken + 1, taken + 1));
}

TEST(Wal, RefusesForGoodWhatNeverFits) {
  io::LossyFileSystem disk;
  WalLife life(disk, {.segment_bytes = 400, .max_bytes = 1000});
  ASSERT_TRUE(life.Open());
  const auto taken = life.Append({std::string(600, 'x')});
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(taken.error().message, HasSubstr("wal.max_bytes is 1000"));
  EXPECT_EQ(life.Append({std::string(500, 'x')}), Range(1, 1));
}

TEST(Wal, WantsRoomForTwoSegments) {
  io::LossyFileSystem disk;
  WalLife life(disk, {.segment_bytes = 400, .max_bytes = 799});
  EXPECT_EQ(life.Open().error().code, ErrorCode::kInvalidArgument);
}

// Complaints C32 and C38: a disk without room.
TEST(Wal, AFullDiskLeavesNoHalfGroupAndGoesOnByItself) {
  for (std::int64_t room = 0; room < 200; ++room) {
    io::LossyFileSystem disk;
    WalLife life(disk);
    ASSERT_TRUE(life.Open());
    ASSERT_TRUE(life.Append({"before"}));
    life.Idle();
    const std::int64_t used = life.wal().bytes() + 17;  // the file `epoch`
    disk.SetCapacity(used + room);
    const auto refused = life.Append({std::string(200, 'x')});
    ASSERT_FALSE(refused.has_value()) << room;
    EXPECT_EQ(refused.error().code, ErrorCode::kExhausted);
    EXPECT_EQ(life.Append({"too soon"}).error().code, ErrorCode::kExhausted);
    EXPECT_THAT(life.wal().withheld(), HasSubstr("full"));
    disk.SetCapacity(INT64_MAX);
    life.Idle();
    EXPECT_EQ(life.Append({"after"}), Range(2, 2));
    EXPECT_EQ(life.wal().withheld(), "");
    life.Kill();
    WalLife next(disk);
    ASSERT_TRUE(next.Open());
    EXPECT_THAT(next.Payloads(), ElementsAre("before", "after")) << room;
  }
}

// Complaint C34: one failed fdatasync.
TEST(Wal, AFailedSyncEndsAcknowledgementForGood) {
  io::LossyFileSystem disk;
  io::SeededRandom random(1);
  {
    WalLife life(disk);
    ASSERT_TRUE(life.Open());
    ASSERT_TRUE(life.Append({"acknowledged"}));
    std::string told;
    life.wal().OnFailure([&](const Error& error) { told = error.message; });
    disk.FailNextSync();
    EXPECT_EQ(life.Append({"unknown"}).error().code, ErrorCode::kOutcomeUnknown);
    EXPECT_EQ(life.Append({"refused"}).error().code, ErrorCode::kUnavailable);
    EXPECT_EQ(life.wal().synced_through(), Position(1));
    EXPECT_THAT(told, HasSubstr("a restart recovers"));
    EXPECT_FALSE(life.Close().has_value());
  }
  {
    // The page cache shows the lost group: it must be on disk before anyone reads it.
    WalLife life(disk);
    ASSERT_TRUE(life.Open());
    EXPECT_THAT(life.Payloads(), ElementsAre("acknowledged", "unknown"));
    life.Kill();
    disk.LosePower(random);
  }
  WalLife life(disk);
  ASSERT_TRUE(life.Open());
  EXPECT_THAT(life.Payloads(), ElementsAre("acknowledged", "unknown"));
}

TEST(Wal, ManyProducersShareOneSync) {
  io::LossyFileSystem disk;
  WalLife life(disk);
  ASSERT_TRUE(life.Open());
  int answered = 0;
  const auto produce = [&]() -> io::Task<void> {
    for (int i = 0; i < 20; ++i) {
      std::vector<std::string> payloads{"x"};
      answered += (co_await life.AppendTask(std::move(payloads))).has_value() ? 1 : 0;
    }
  };
  for (int i = 0; i < 64; ++i) io::Spawn(life.loop, produce());
  life.Idle();
  EXPECT_EQ(answered, 64 * 20);
  EXPECT_EQ(life.wal().synced_through(), Position(64 * 20));
  EXPECT_LE(life.wal().counters().groups, 22u);
}

TEST(Wal, EachAppendHasItsOwnSyncWhenAsked) {
  io::LossyFileSystem disk;
  WalLife life(disk, {.sync = WalSync::kEach});
  ASSERT_TRUE(life.Open());
  const auto append = [&life]() -> io::Task<void> {
    std::vector<std::string> payloads{"x"};
    EXPECT_TRUE((co_await life.AppendTask(std::move(payloads))).has_value());
  };
  for (int i = 0; i < 5; ++i) io::Spawn(life.loop, append());
  life.Idle();
  EXPECT_EQ(life.wal().counters().groups, 5u);
}

TEST(Wal, AnAppendAboveTheGroupSizeIsOneGroup) {
  io::LossyFileSystem disk;
  WalLife life(disk, {.group_max_bytes = 100});
  ASSERT_TRUE(life.Open());
  EXPECT_EQ(life.Append(std::vector<std::string>(50, "twelve bytes")), Range(1, 50));
  EXPECT_EQ(life.wal().counters().groups, 1u);
}

TEST(Wal, ANewLogTakesAHigherEpochThanAnyoneKnows) {
  io::LossyFileSystem disk;
  WalLife life(disk, {.known_epoch = Epoch(INT64_MAX - 7)});
  ASSERT_TRUE(life.Open());
  EXPECT_EQ(life.wal().epoch(), Epoch(INT64_MAX - 6));
  io::LossyFileSystem fresh;
  WalLife other(fresh);
  ASSERT_TRUE(other.Open());
  EXPECT_EQ(other.wal().epoch().value(), other.clock.Now().value());
}

TEST(Wal, GoesOnBehindACursorThatIsFurther) {
  io::LossyFileSystem disk;
  Epoch epoch;
  {
    WalLife life(disk);
    ASSERT_TRUE(life.Open());
    epoch = life.wal().epoch();
    ASSERT_TRUE(life.Append({"a"}));
  }
  {
    WalLife life(disk, {.cursor_epoch = epoch, .cursor = Position(9)});
    ASSERT_TRUE(life.Open());
    EXPECT_THAT(life.wal().opening().notes, ElementsAre(HasSubstr("new records begin at 10")));
    EXPECT_EQ(life.Append({"b"}), Range(10, 10));
    EXPECT_THAT(life.Payloads(), ElementsAre("a", "hole 2..9", "b"));
  }
  WalLife life(disk);
  ASSERT_TRUE(life.Open());
  EXPECT_THAT(life.wal().opening().notes, IsEmpty());
  EXPECT_THAT(life.Payloads(Position(5)), ElementsAre("hole 5..9", "b"));
}

TEST(Wal, ACursorOfAnotherLogDoesNotCount) {
  io::LossyFileSystem disk;
  WalLife life(disk, {.cursor_epoch = Epoch(5), .cursor = Position(9)});
  ASSERT_TRUE(life.Open());
  EXPECT_EQ(life.Append({"a"}), Range(1, 1));
}

TEST(Wal, AFolderWithoutSegmentsIsANewLog) {
  io::LossyFileSystem disk;
  Epoch epoch;
  {
    WalLife life(disk);
    ASSERT_TRUE(life.Open());
    epoch = life.wal().epoch();
    ASSERT_TRUE(life.Append({"a"}));
  }
  ASSERT_TRUE(disk.Remove("/data/wal/00000000000000000001.wal"));
  WalLife life(disk);
  ASSERT_TRUE(life.Open());
  EXPECT_GT(life.wal().epoch(), epoch);
}

}  // namespace
}  // namespace tidemark::edge

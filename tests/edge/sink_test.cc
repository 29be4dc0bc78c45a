// The rules of the segment sink, on an undisturbed disk.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "datafile/segment_footer_reader.h"
#include "edge/dataset/dataset_schema.h"
#include "format/catalog_state.h"
#include "tests/edge/sink_rig.h"

namespace tidemark::edge {
namespace {

using test::LogEntry;
using test::RowKey;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

const Micros kNoon = ParseIso("2026-11-30T12:00:00Z").value();

// A record each second from noon on.
std::vector<LogEntry> LogOf(const std::vector<std::string>& topics) {
  std::vector<LogEntry> log;
  for (const std::string& topic : topics) {
    const auto n = static_cast<std::int64_t>(log.size());
    log.push_back({topic, test::Payload(n), kNoon + n * kMicrosPerSecond});
  }
  return log;
}

std::string NameOf(const std::string& dataset, const std::string& hour, int first, int last) {
  return fmt::format("{}/date=2026-11-30/hour={}/gw_0000000000005f3c_{:020}_{:020}.parquet",
                     dataset,
                     hour,
                     first,
                     last);
}

class SegmentSinkTest : public ::testing::Test {
 protected:
  test::SinkLife& Start(std::vector<LogEntry> log) {
    log_ = std::move(log);
    life_ = std::make_unique<test::SinkLife>(disk_, log_, options_);
    const Status opened = life_->Open();
    EXPECT_TRUE(opened) << opened.error().message;
    return *life_;
  }

  // Feeds everything and finishes.
  test::SinkLife& Run(std::vector<LogEntry> log) {
    auto& life = Start(std::move(log));
    const Status fed = life.FeedAll();
    EXPECT_TRUE(fed) << fed.error().message;
    EXPECT_TRUE(life.sink().FinishAll());
    return life;
  }

  io::LossyFileSystem disk_;
  std::vector<LogEntry> log_;
  SinkOptions options_ = test::SimpleOptions();
  std::unique_ptr<test::SinkLife> life_;
};

TEST_F(SegmentSinkTest, ClosesAFileAtMaxRowsUnderItsName) {
  Run(LogOf({"a", "a", "a", "a"}));
  EXPECT_THAT(test::ReadyPaths(disk_),
              ElementsAre(NameOf("a", "12", 1, 3), NameOf("a", "12", 4, 4)));
}

TEST_F(SegmentSinkTest, AFileCoversWhatWasReadForItNotOnlyItsRows) {
  Run(LogOf({"a", "b", "b", "b", "a", "a", "b"}));
  EXPECT_THAT(
      test::ReadyPaths(disk_),
      ElementsAre(NameOf("a", "12", 1, 6), NameOf("b", "12", 1, 4), NameOf("b", "12", 5, 7)));
  EXPECT_EQ(life_->sink().watermark(), Position(7));
}

TEST_F(SegmentSinkTest, AnIdleDataSetIsCoveredByAMarkerNotAFile) {
  Run(LogOf({"a", "a"}));
  const auto catalog = test::CatalogOf(disk_);
  EXPECT_THAT(catalog.Tiles("b", test::kFirstEpoch),
              ElementsAre(format::CoverageTile{.range = {Position(1), Position(2)},
                                               .path = "",
                                               .reason = format::CoverageReason::kEmpty}));
  EXPECT_EQ(life_->sink().counters().coverage_markers, 1);
}

TEST_F(SegmentSinkTest, TheHourOfTheIngestTimeDividesFiles) {
  auto log = LogOf({"a", "a"});
  log[1].ingest_time = kNoon + kMicrosPerHour;
  options_.rotation.max_age_us = 2 * kMicrosPerHour;
  Run(log);
  EXPECT_THAT(test::ReadyPaths(disk_),
              ElementsAre(NameOf("a", "12", 1, 1), NameOf("a", "13", 2, 2)));
}

TEST_F(SegmentSinkTest, AnUnsureClockHasAFolderOfItsOwn) {
  auto log = LogOf({"a", "a", "a"});
  log[1].clock_synced = false;
  Run(log);
  EXPECT_THAT(test::ReadyPaths(disk_),
              ElementsAre(NameOf("a", "12", 1, 1),
                          NameOf("a", "12", 3, 3),
                          "a/unsynced/gw_0000000000005f3c_00000000000000000002_"
                          "00000000000000000002.parquet"));
}

// C14: data sits for hours because only a record makes anybody look.
TEST_F(SegmentSinkTest, MaxAgeCountsFromTheFirstRowAlsoWithoutFurtherRecords) {
  auto& life = Start(LogOf({"a"}));
  ASSERT_TRUE(life.FeedAll());
  ASSERT_TRUE(life.sink().CloseDue(kNoon + options_.rotation.max_age_us - 1));
  EXPECT_THAT(test::ReadyPaths(disk_), IsEmpty());
  ASSERT_TRUE(life.sink().CloseDue(kNoon + options_.rotation.max_age_us));
  EXPECT_THAT(test::ReadyPaths(disk_), SizeIs(1));
}

TEST_F(SegmentSinkTest, AClockThatStepsBackLeavesNoFileOpenForTheLengthOfTheStep) {
  auto& life = Start(LogOf({"a"}));
  ASSERT_TRUE(life.FeedAll());
  // The log itself holds times up so long.
  ASSERT_TRUE(life.sink().CloseDue(kNoon - kMicrosPerSecond));
  EXPECT_THAT(test::ReadyPaths(disk_), IsEmpty());
  ASSERT_TRUE(life.sink().CloseDue(kNoon - kMicrosPerHour));
  EXPECT_THAT(test::ReadyPaths(disk_), SizeIs(1));
}

TEST_F(SegmentSinkTest, MaxAgeHoldsInsideALogThatIsReadLate) {
  auto log = LogOf({"a", "a"});
  log[1].ingest_time = kNoon + options_.rotation.max_age_us;
  Run(log);
  EXPECT_THAT(test::ReadyPaths(disk_), SizeIs(2));
}

TEST_F(SegmentSinkTest, MaxBytesClosesAFile) {
  options_.rotation.max_rows = 0;
  options_.rotation.max_bytes = 20'000;
  Run(LogOf(std::vector<std::string>(5'000, "a")));
  const auto paths = test::ReadyPaths(disk_);
  EXPECT_GT(paths.size(), 2);
  const auto catalog = test::CatalogOf(disk_);
  for (const auto& [path, file] : catalog.files()) {
    EXPECT_LT(file.finalized.bytes, 30'000) << path;
  }
}

// C27: what is held for each open file has no bound but their number.
TEST_F(SegmentSinkTest, OpenFilesStayBelowTheirLimitTheLeastRecentlyWrittenGoes) {
  options_.datasets.clear();
  for (int i = 0; i < 20; ++i) {
    const std::string id = fmt::format("d{}", i);
    options_.datasets.push_back(test::SimpleDataset(id, id));
  }
  options_.open_files_max = 4;
  options_.rotation.max_rows = 1000;
  std::vector<std::string> topics;
  for (int round = 0; round < 10; ++round) {
    for (int i = 0; i < 20; ++i) topics.push_back(fmt::format("d{}", i));
  }
  auto& life = Start(LogOf(topics));
  for (std::int64_t position = 1; position <= 200; ++position) {
    ASSERT_TRUE(life.Feed(position));
    ASSERT_LE(life.sink().open_files(), 4);
  }
  ASSERT_TRUE(life.sink().FinishAll());
  std::size_t rows = 0;
  for (const auto& [dataset, keys] : test::ReadyRows(disk_)) rows += keys.size();
  EXPECT_EQ(rows, 200);
}

// Of many data sets, only those with an open file hold memory.
TEST_F(SegmentSinkTest, ARejectOfManyRowsKeepsNoMemoryWithoutAnOpenFile) {
  options_.datasets[0].explode =
      ExplodeSpec{.pointer = "", .index_id = 101, .index_name = "i", .required = false};
  options_.rotation.max_rows = 0;
  auto log = LogOf({"a"});
  log[0].payload = "[";
  for (int i = 0; i < 20'000; ++i) log[0].payload += test::Payload(i) + ",";
  log[0].payload += "7]";
  auto& life = Start(log);
  ASSERT_TRUE(life.FeedAll());
  EXPECT_EQ(life.sink().open_files(), 0);
  EXPECT_LT(life.sink().memory_bytes(), 10'000);
  EXPECT_EQ(life.sink().counters().rejects.at("schema.type"), 1);
}

TEST_F(SegmentSinkTest, ARecordMayGoToSeveralDataSetsUnderAnyLimit) {
  options_.datasets = {
      test::SimpleDataset("x", "#"), test::SimpleDataset("y", "#"), test::SimpleDataset("z", "#")};
  options_.open_files_max = 1;
  options_.rotation.max_rows = 1000;
  Run(LogOf({"a", "a", "a"}));
  for (const auto& [dataset, keys] : test::ReadyRows(disk_)) {
    EXPECT_THAT(keys, ElementsAre(RowKey(1, 0), RowKey(2, 0), RowKey(3, 0))) << dataset;
  }
}

TEST_F(SegmentSinkTest, RejectsAreCountedAndKeptWithTheirReason) {
  auto log = LogOf({"a", "a", "nobody"});
  log[0].payload = "{";
  Run(log);
  EXPECT_THAT(test::Rejects(disk_), ElementsAre(Pair(1, "decode.json"), Pair(3, "unmatched")));
  EXPECT_EQ(life_->sink().counters().rejects.at("unmatched"), 1);
}

TEST_F(SegmentSinkTest, WhatADataSetOfAnotherSinkTakesIsNotUnmatched) {
  options_.datasets_elsewhere = {test::SimpleDataset("c", "c")};
  Run(LogOf({"c", "nobody"}));
  EXPECT_THAT(test::Rejects(disk_), ElementsAre(Pair(2, "unmatched")));
}

TEST_F(SegmentSinkTest, TheFooterTellsWhatTheNameTells) {
  Run(LogOf({"a", "a"}));
  const std::string bytes =
      test::ReadFile(disk_, std::string(test::kSinkFolder) + "/ready/" + NameOf("a", "12", 1, 2));
  const auto length = datafile::ParquetFooterBytes(bytes.substr(bytes.size() - 8)).value();
  const auto facts =
      datafile::ReadSegmentFooter(bytes.substr(bytes.size() - static_cast<std::size_t>(length)))
          .value();
  EXPECT_EQ(facts.rows, 2);
  EXPECT_EQ(facts.footer.dataset, "a");
  EXPECT_EQ(facts.footer.range, (format::PositionRange{Position(1), Position(2)}));
  EXPECT_EQ(facts.footer.config_hash, options_.config_hash);
  EXPECT_TRUE(facts.footer.clock_synced);
  EXPECT_EQ(facts.ingest_time_min, kNoon);
  EXPECT_EQ(facts.ingest_time_max, kNoon + kMicrosPerSecond);
}

TEST_F(SegmentSinkTest, ADiskBudgetBelowOneFileIsRefused) {
  options_.disk_bytes_max = options_.rotation.max_bytes - 1;
  test::SinkLife life(disk_, log_, options_);
  const Status opened = life.Open();
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().message, HasSubstr("max_disk"));
}

TEST_F(SegmentSinkTest, AFullDiskBudgetFinalizesAndSaysSo) {
  options_.rotation.max_bytes = 10'000;
  options_.rotation.max_rows = 0;
  options_.disk_bytes_max = 20'000;
  auto& life = Start(LogOf(std::vector<std::string>(5'000, "a")));
  std::int64_t position = 1;
  while (life.sink().room() && position <= 5'000) ASSERT_TRUE(life.Feed(position++));
  EXPECT_LT(position, 5'000);
  EXPECT_EQ(life.sink().open_files(), 0);
  EXPECT_LT(life.sink().disk_bytes(), 40'000);
}

// Several row groups in memory must not come upon the budget at once.
TEST_F(SegmentSinkTest, TheDiskBudgetCountsRowGroupsThatAreStillInMemory) {
  options_.rotation.max_rows = 0;
  options_.rotation.max_bytes = 200'000;
  options_.disk_bytes_max = 200'000;
  options_.form.row_group_bytes = 150'000;
  options_.form.codec = datafile::ParseSegmentCodec("none").value();
  std::vector<std::string> topics;
  topics.reserve(20'000);
  for (int i = 0; i < 20'000; ++i) topics.emplace_back(i % 2 == 0 ? "a" : "b");
  auto& life = Start(LogOf(topics));
  std::int64_t position = 1;
  while (life.sink().room() && position <= 20'000) ASSERT_TRUE(life.Feed(position++));
  EXPECT_LT(position, 20'000);
  EXPECT_EQ(life.sink().open_files(), 0);
  EXPECT_LT(life.sink().disk_bytes(), 200'000 + 50'000);
}

TEST_F(SegmentSinkTest, AFullBudgetOfRejectsStopsTheSink) {
  options_.reject_bytes_max = 2'000;
  std::vector<LogEntry> log(100, {"a", "{", kNoon});
  auto& life = Start(std::move(log));
  std::int64_t position = 1;
  while (life.sink().room() && position <= 100) ASSERT_TRUE(life.Feed(position++));
  EXPECT_LT(position, 50);
  EXPECT_LT(life.sink().disk_bytes(), options_.disk_bytes_max);
}

TEST_F(SegmentSinkTest, AFullLogOfRejectsThatWasMovedAwayIsBegunAnew) {
  options_.reject_bytes_max = 2'000;
  options_.rotation.max_rows = 1000;
  std::vector<LogEntry> log(100, {"a", "{", kNoon});
  for (std::size_t i = 0; i < log.size(); i += 7) log[i].topic = "b";
  auto& life = Start(std::move(log));
  const std::string rejects = std::string(test::kSinkFolder) + "/quarantine/rejects.log";
  std::vector<std::int64_t> moved;
  std::int64_t position = 1;
  while (position <= 100) {
    while (life.sink().room() && position <= 100) ASSERT_TRUE(life.Feed(position++));
    ASSERT_TRUE(life.sink().NoticeRemoved());
    if (position > 100) break;
    EXPECT_FALSE(life.sink().room());
    for (const auto& [at, reason] : test::Rejects(disk_)) moved.push_back(at);
    ASSERT_TRUE(disk_.Rename(rejects, rejects + std::to_string(position)));
    ASSERT_TRUE(life.sink().NoticeRemoved());
    EXPECT_TRUE(life.sink().room());
  }
  EXPECT_GT(moved.size(), 40u);
  life_.reset();
  test::SinkLife next(disk_, log_, options_);
  ASSERT_TRUE(next.Open());
  ASSERT_TRUE(next.FeedAll());
  ASSERT_TRUE(next.sink().FinishAll());
  for (const auto& [at, reason] : test::Rejects(disk_)) moved.push_back(at);
  std::ranges::sort(moved);
  std::vector<std::int64_t> all(100);
  std::iota(all.begin(), all.end(), 1);
  EXPECT_EQ(moved, all);
}

TEST_F(SegmentSinkTest, TheSchemaLiesBesideTheFiles) {
  Run(LogOf({"a"}));
  const auto schema = SchemaOf(options_.datasets[0], options_.form);
  EXPECT_EQ(test::ReadFile(disk_,
                           fmt::format("{}/ready/_tidemark/a/schema-{}.json",
                                       test::kSinkFolder,
                                       format::SchemaFingerprint(schema))),
            format::EncodeSchema(schema) + "\n");
}

TEST_F(SegmentSinkTest, AStartThatIsRefusedKeepsNoSchema) {
  Run(LogOf({"a", "b"}));
  life_.reset();
  SinkOptions refused = options_;
  FieldSpec later = refused.datasets[0].fields[0];
  later.id = 1001;
  later.name = "later";
  later.required = false;
  refused.datasets[0].fields.push_back(later);
  refused.datasets[1].fields[0].type.kind = format::ColumnKind::kString;
  EXPECT_EQ(test::SinkLife(disk_, log_, refused).Open().error().code,
            ErrorCode::kPreconditionFailed);
  // Without the field that came later, which may not be dropped.
  test::SinkLife next(disk_, log_, options_);
  const Status opened = next.Open();
  EXPECT_TRUE(opened) << opened.error().message;
}

TEST_F(SegmentSinkTest, ALostPositionBecomesOneReject) {
  auto& life = Start(LogOf({"a", "a"}));
  ASSERT_TRUE(life.Feed(1));
  ASSERT_TRUE(life.Lose(9));
  ASSERT_TRUE(life.sink().FinishAll());
  EXPECT_THAT(test::Rejects(disk_), ElementsAre(Pair(2, "wal.damaged")));
  EXPECT_EQ(life.sink().watermark(), Position(9));
}

TEST_F(SegmentSinkTest, WhatIsJudgedAgainAfterAFullDiskCountsOnce) {
  options_.datasets[1].unknown = UnknownFields::kLenient;
  auto log = LogOf({"a", "a", "nobody", "b", "a", "a", "a"});
  log[1].payload = "{";
  log[3].payload = R"({"v":1,"more":2})";
  log[6].payload = "{";
  auto& full = Start(log);
  disk_.SetCapacity(0);
  EXPECT_EQ(full.FeedAll().error().code, ErrorCode::kExhausted);
  const SinkCounters so_far = full.sink().counters();
  EXPECT_THAT(so_far.rejects, ElementsAre(Pair("decode.json", 1), Pair("unmatched", 1)));
  EXPECT_EQ(so_far.unknown_dropped, 1);

  full.End();
  disk_.SetCapacity(1 << 20);
  test::SinkLife life(disk_, log_, options_);
  ASSERT_TRUE(life.Open(so_far));
  ASSERT_TRUE(life.FeedAll());
  ASSERT_TRUE(life.sink().FinishAll());
  const SinkCounters& counters = life.sink().counters();
  EXPECT_THAT(counters.rejects, ElementsAre(Pair("decode.json", 2), Pair("unmatched", 1)));
  EXPECT_EQ(counters.unknown_dropped, 1);
  EXPECT_THAT(test::Rejects(disk_),
              ElementsAre(Pair(2, "decode.json"), Pair(3, "unmatched"), Pair(7, "decode.json")));
}

// The disk is full, or the process is told so, after each change in turn that a sink makes.
TEST_F(SegmentSinkTest, RowsOfAFileThatWasFinishedByTheNextSinkCountOnce) {
  const auto log = LogOf({"a", "a", "a", "b", "a", "a"});
  for (const bool acts : {false, true}) {
    bool reached = true;
    for (int changes = 0; reached; ++changes) {
      io::LossyFileSystem disk;
      test::SinkLife first(disk, log, options_);
      ASSERT_TRUE(first.Open());
      first.disk().CutAfter(changes, acts);
      Status done = first.FeedAll();
      if (done) done = first.sink().FinishAll();
      reached = !done.has_value();
      const SinkCounters so_far = first.sink().counters();
      first.End();
      test::SinkLife next(disk, log, options_);
      ASSERT_TRUE(next.Open(so_far));
      ASSERT_TRUE(next.FeedAll());
      ASSERT_TRUE(next.sink().FinishAll());
      EXPECT_EQ(next.sink().counters().rows, 6) << changes << acts;
      EXPECT_EQ(next.sink().counters().files, 3) << changes << acts;
    }
  }
}

TEST_F(SegmentSinkTest, ALostPositionIsToldOnceThoughADataSetBehindItReadsItAgain) {
  auto& life = Start(LogOf({"a", "a", "a", "a"}));
  ASSERT_TRUE(life.Lose(1));
  ASSERT_TRUE(life.Feed(4));  // the third row ends a file of `a`; `b` covers nothing yet
  life.End();
  test::SinkLife next(disk_, log_, options_);
  ASSERT_TRUE(next.Open());
  ASSERT_EQ(next.sink().next(), Position(1));
  ASSERT_TRUE(next.Lose(1));
  ASSERT_TRUE(next.FeedAll());
  ASSERT_TRUE(next.sink().FinishAll());
  EXPECT_THAT(test::Rejects(disk_), ElementsAre(Pair(1, "wal.damaged")));
}

TEST_F(SegmentSinkTest, OneSinkOfAPipelineTellsLostPositions) {
  options_.keeps_unmatched = false;
  auto& life = Start(LogOf({"a", "a"}));
  ASSERT_TRUE(life.Lose(9));
  ASSERT_TRUE(life.sink().FinishAll());
  EXPECT_THAT(test::Rejects(disk_), IsEmpty());
  EXPECT_EQ(life.sink().watermark(), Position(9));
}

// Without its version it would go by the coverage of nothing, and stand twice.
TEST_F(SegmentSinkTest, ARejectAboveTheCoverageOfItsDataSetIsDecidedAgain) {
  options_.datasets[0].version = 2;
  auto log = LogOf({"a", "b", "b", "b"});
  log[0].payload = "{";
  ASSERT_TRUE(Start(log).FeedAll());  // a file of `b`, and the reject before it; `a` covers nothing
  life_->End();
  EXPECT_THAT(test::Rejects(disk_), ElementsAre(Pair(1, "decode.json")));
  test::SinkLife next(disk_, log_, options_);
  ASSERT_TRUE(next.Open());
  EXPECT_THAT(test::Rejects(disk_), IsEmpty());
  ASSERT_TRUE(next.FeedAll());
  ASSERT_TRUE(next.sink().FinishAll());
  const auto rejects = test::RejectRecords(disk_);
  ASSERT_THAT(rejects, SizeIs(1));
  EXPECT_EQ(rejects[0].dataset, "a");
  EXPECT_EQ(rejects[0].version, 2);
}

TEST_F(SegmentSinkTest, RecordsOfNobodyAreCountedWhenTheyAreDropped) {
  options_.drops_unmatched = true;
  Run(LogOf({"a", "nobody", "nobody"}));
  EXPECT_THAT(test::Rejects(disk_), IsEmpty());
  EXPECT_EQ(life_->sink().counters().rejects.at("unmatched.dropped"), 2);
}

TEST_F(SegmentSinkTest, AllThatKeepTheLogLongestAdvanceAtOnce) {
  options_.datasets.push_back(test::SimpleDataset("c", "c"));
  auto& life = Start(LogOf({"a", "a"}));
  ASSERT_TRUE(life.FeedAll());
  ASSERT_TRUE(life.sink().AdvanceLowest());
  EXPECT_EQ(life.sink().watermark(), Position(2));
  EXPECT_THAT(test::ReadyPaths(disk_), ElementsAre(NameOf("a", "12", 1, 2)));
}

TEST_F(SegmentSinkTest, WithoutADataSetTheWatermarkMoves) {
  options_.datasets.clear();
  auto& life = Start(LogOf({"nobody", "nobody"}));
  ASSERT_TRUE(life.FeedAll());
  ASSERT_TRUE(life.sink().AdvanceLowest());
  EXPECT_EQ(life.sink().watermark(), Position(2));
  EXPECT_THAT(test::Rejects(disk_), ElementsAre(Pair(1, "unmatched"), Pair(2, "unmatched")));
}

}  // namespace
}  // namespace tidemark::edge

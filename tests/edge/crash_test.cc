// A crash before and after every change that a sink makes to its disk, with and without power: each
// row and each reject ends in exactly one place.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "base/digest.h"
#include "edge/segment/cursor_file.h"
#include "format/catalog_state.h"
#include "format/segment_name.h"
#include "tests/edge/sink_rig.h"

namespace tidemark::edge {
namespace {

using test::LogEntry;
using test::RowKey;

const Micros kNoon = ParseIso("2026-11-30T12:00:00Z").value();

// Data sets that finish at different positions, an hour's edge, bad records, records of nobody.
std::vector<LogEntry> MixedLog() {
  const char* const topics[] = {"a", "a", "b", "a", "nobody", "a", "a", "b", "a", "a", "a", "b"};
  std::vector<LogEntry> log;
  for (std::int64_t n = 0; n < 24; ++n) {
    LogEntry entry{topics[n % 12], test::Payload(n), kNoon + n * 200 * kMicrosPerSecond};
    if (n % 7 == 3) entry.payload = "{}";
    log.push_back(std::move(entry));
  }
  return log;
}

SinkOptions Options() {
  SinkOptions options = test::SimpleOptions();
  options.rotation.max_age_us = kMicrosPerHour * 10;
  return options;
}

struct Outcome {
  std::map<std::string, std::vector<RowKey>> rows;
  std::vector<std::pair<std::int64_t, std::string>> rejects;

  bool operator==(const Outcome&) const = default;
};

Outcome OutcomeOf(io::FileSystem& disk) {
  Outcome outcome{test::ReadyRows(disk), test::Rejects(disk)};
  for (auto& [dataset, keys] : outcome.rows) std::ranges::sort(keys);
  std::ranges::sort(outcome.rejects);
  return outcome;
}

Status RunToEnd(test::SinkLife& life) {
  TIDEMARK_TRY_VOID(life.Open());
  TIDEMARK_TRY_VOID(life.FeedAll());
  return life.sink().FinishAll();
}

Outcome Undisturbed(const std::vector<LogEntry>& log) {
  io::LossyFileSystem disk;
  test::SinkLife life(disk, log, Options());
  EXPECT_TRUE(RunToEnd(life));
  return OutcomeOf(disk);
}

// The catalog tiles the log for each data set, and each of its files is there as it says.
void ExpectWholeCatalog(io::FileSystem& disk, std::size_t positions) {
  const auto catalog = test::CatalogOf(disk);
  for (const char* dataset : {"a", "b"}) {
    const auto& tiles = catalog.Tiles(dataset, test::kFirstEpoch);
    ASSERT_FALSE(tiles.empty());
    EXPECT_EQ(tiles.front().range.first, Position(1));
    EXPECT_EQ(tiles.back().range.last, Position(static_cast<std::int64_t>(positions)));
  }
  const auto paths = test::ReadyPaths(disk);
  EXPECT_EQ(paths.size(), catalog.files().size());
  for (const std::string& path : paths) {
    const auto file = catalog.files().find(path);
    ASSERT_NE(file, catalog.files().end()) << path;
    EXPECT_TRUE(file->second.eligible) << path;
    const auto bytes = test::ReadFile(disk, fmt::format("{}/ready/{}", test::kSinkFolder, path));
    EXPECT_EQ(ToHex(Sha256Of(bytes)), ToHex(file->second.finalized.sha256)) << path;
  }
}

// What recovery leaves in ready/ is committed: nothing there comes again from the log.
void ExpectNothingBeyondCoverage(io::FileSystem& disk) {
  SinkFolder folder(disk, test::kSinkFolder);
  const auto cursor = LoadCursor(folder);
  ASSERT_TRUE(cursor.has_value() && cursor->has_value());
  for (const std::string& path : test::ReadyPaths(disk)) {
    const auto name = format::ParseSegmentFileName(path.substr(path.rfind('/') + 1));
    ASSERT_TRUE(name.has_value()) << path;
    const auto covered = (*cursor)->coverage.find(path.substr(0, path.find('/')));
    ASSERT_NE(covered, (*cursor)->coverage.end()) << path;
    EXPECT_LE(name->range.last, covered->second) << path;
  }
}

struct CrashCase {
  bool acts;  // the last change happens, its answer is lost
  bool loses_power;
};

class CrashTest : public ::testing::TestWithParam<CrashCase> {
 protected:
  // Runs until the disk is cut after `changes`; false when it was never reached.
  bool CrashAfter(int changes, io::LossyFileSystem& disk, Position& promised) {
    test::SinkLife life(disk, log_, Options());
    life.disk().CutAfter(changes, GetParam().acts);
    Status status = life.Open();
    if (status) {
      status = life.FeedAll();
      if (status) status = life.sink().FinishAll();
      promised = std::max(promised, life.sink().watermark());
    }
    EXPECT_EQ(life.disk().dead(), !status.has_value());
    return life.disk().dead();
  }

  void Settle(io::LossyFileSystem& disk, std::uint64_t seed) {
    io::SeededRandom random(seed);
    if (GetParam().loses_power) disk.LosePower(random);
  }

  void ExpectWhole(io::LossyFileSystem& disk, Position promised) {
    test::SinkLife life(disk, log_, Options());
    const Status opened = life.Open();
    ASSERT_TRUE(opened) << opened.error().message;
    EXPECT_GE(life.sink().watermark(), promised);
    ExpectNothingBeyondCoverage(disk);
    ASSERT_TRUE(life.FeedAll());
    ASSERT_TRUE(life.sink().FinishAll());
    EXPECT_EQ(OutcomeOf(disk), expected_);
    ExpectWholeCatalog(disk, log_.size());
  }

  const std::vector<LogEntry> log_ = MixedLog();
  const Outcome expected_ = Undisturbed(log_);
};

TEST_P(CrashTest, AfterEveryChangeTheNextStartMakesItWhole) {
  int changes = 0;
  for (bool reached = true; reached; ++changes) {
    SCOPED_TRACE(fmt::format("cut after {} changes", changes));
    for (std::uint64_t seed = 0; seed < (GetParam().loses_power ? 2U : 1U); ++seed) {
      io::LossyFileSystem disk;
      Position promised;
      reached = CrashAfter(changes, disk, promised);
      if (!reached) break;
      Settle(disk, seed);
      ExpectWhole(disk, promised);
      if (HasFatalFailure() || HasNonfatalFailure()) return;
    }
  }
  EXPECT_GT(changes, 100);
}

TEST_P(CrashTest, CrashesDuringRecoveryAndAgainAreSurvived) {
  io::SeededRandom random(7);
  for (int round = 0; round < 60; ++round) {
    SCOPED_TRACE(fmt::format("round {}", round));
    io::LossyFileSystem disk;
    Position promised;
    for (int life = 0; life < 4; ++life) {
      if (!CrashAfter(static_cast<int>(random.Next() % 120), disk, promised)) break;
      Settle(disk, random.Next());
    }
    ExpectWhole(disk, promised);
    if (HasFatalFailure() || HasNonfatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Crashes,
                         CrashTest,
                         ::testing::Values(CrashCase{false, false},
                                           CrashCase{true, false},
                                           CrashCase{false, true},
                                           CrashCase{true, true}));

class RecoveryTest : public ::testing::Test {
 protected:
  // Feeds the head of the log, then stops without finishing, as a kill does.
  void RunAndStop(std::int64_t through) {
    test::SinkLife life(disk_, log_, Options());
    ASSERT_TRUE(life.Open());
    ASSERT_TRUE(life.Feed(through));
  }

  void Finish() {
    test::SinkLife life(disk_, log_, Options());
    const Status done = RunToEnd(life);
    ASSERT_TRUE(done) << done.error().message;
    notes_ = life.notes();
  }

  std::string At(const std::string& name) const {
    return std::string(test::kSinkFolder) + "/" + name;
  }

  io::LossyFileSystem disk_;
  const std::vector<LogEntry> log_ = MixedLog();
  const Outcome expected_ = Undisturbed(log_);
  std::vector<std::string> notes_;
};

TEST_F(RecoveryTest, ALostCatalogIsReadBackFromTheFiles) {
  RunAndStop(20);
  ASSERT_TRUE(disk_.Remove(At("catalog.log")));
  Finish();
  EXPECT_EQ(OutcomeOf(disk_), expected_);
  ExpectWholeCatalog(disk_, log_.size());
}

TEST_F(RecoveryTest, ALostTailOfTheCatalogIsReadBackFromTheFiles) {
  RunAndStop(20);
  const std::string whole = test::ReadFile(disk_, At("catalog.log"));
  for (std::size_t size = 0; size < whole.size(); size += 3) {
    SCOPED_TRACE(size);
    io::LossyFileSystem disk;
    {
      test::SinkLife life(disk, log_, Options());
      ASSERT_TRUE(life.Open());
      ASSERT_TRUE(life.Feed(20));
    }
    ASSERT_TRUE(disk.Remove(At("catalog.log")));
    const auto file = disk.CreateLocked(At("catalog.log"));
    ASSERT_TRUE((*file)->WriteAt(0, whole.substr(0, size)));
    test::SinkLife life(disk, log_, Options());
    ASSERT_TRUE(RunToEnd(life));
    EXPECT_EQ(OutcomeOf(disk), expected_);
    ExpectWholeCatalog(disk, log_.size());
  }
}

TEST_F(RecoveryTest, ALostCursorIsFoundAgainInTheCatalog) {
  RunAndStop(20);
  ASSERT_TRUE(disk_.Remove(At("cursor")));
  Finish();
  EXPECT_EQ(OutcomeOf(disk_), expected_);
  ExpectWholeCatalog(disk_, log_.size());
}

TEST_F(RecoveryTest, LostBooksAltogetherGiveEachRowOnce) {
  RunAndStop(20);
  ASSERT_TRUE(disk_.Remove(At("cursor")));
  ASSERT_TRUE(disk_.Remove(At("catalog.log")));
  Finish();
  EXPECT_EQ(OutcomeOf(disk_), expected_);
}

TEST_F(RecoveryTest, FilesThatTheLogCannotGiveAgainAreAdopted) {
  RunAndStop(20);
  const auto before = test::ReadyPaths(disk_);
  ASSERT_TRUE(disk_.Remove(At("cursor")));
  ASSERT_TRUE(disk_.Remove(At("catalog.log")));
  test::SinkLife life(disk_, log_, Options());
  life.wal.first = Position(21);
  ASSERT_TRUE(life.Open());
  EXPECT_EQ(test::ReadyPaths(disk_), before);
  EXPECT_EQ(life.sink().next(), Position(21));
}

// Neither cursor nor catalog, and the log lost a position: the file that has it holds, and so do
// those before it; what comes after is read again.
TEST_F(RecoveryTest, AFileThatALostPositionKeepsFromComingAgainIsAdoptedWithAllBeforeIt) {
  RunAndStop(20);
  ASSERT_TRUE(disk_.Remove(At("cursor")));
  ASSERT_TRUE(disk_.Remove(At("catalog.log")));
  const auto before = test::ReadyPaths(disk_);
  const auto of_a = [](const std::string& path) { return path.starts_with("a/"); };
  const auto second = std::ranges::find_if(before, of_a) + 1;
  ASSERT_GE(std::ranges::count_if(before, of_a), 3);
  const Position lost =
      format::ParseSegmentFileName(second->substr(second->rfind('/') + 1))->range.last;
  test::SinkLife life(disk_, log_, Options());
  life.wal.holes = {{lost, lost}};
  ASSERT_TRUE(life.Open());
  std::vector<std::string> after = test::ReadyPaths(disk_);
  std::erase_if(after, std::not_fn(of_a));
  EXPECT_EQ(after, std::vector(second - 1, second + 1));
}

TEST_F(RecoveryTest, ALostLogBeginsANewEpochAndKeepsTheFilesOfTheOld) {
  RunAndStop(20);
  const auto before = test::ReadyPaths(disk_);
  test::SinkLife life(disk_, log_, Options());
  life.wal.epoch = test::kFirstEpoch + 1;
  ASSERT_TRUE(life.Open());
  EXPECT_THAT(
      life.notes(),
      ::testing::Contains(::testing::HasSubstr(
          "committed up to position 16 of epoch 0000000000005f3c, and the write-ahead log")));
  EXPECT_EQ(life.sink().next(), Position(1));
  ASSERT_TRUE(life.FeedAll());
  ASSERT_TRUE(life.sink().FinishAll());
  const auto after = test::ReadyPaths(disk_);
  EXPECT_TRUE(std::ranges::includes(after, before));
  EXPECT_EQ(test::CatalogOf(disk_).files().size(), after.size());
}

TEST_F(RecoveryTest, AnOlderLogIsRefused) {
  RunAndStop(20);
  test::SinkLife life(disk_, log_, Options());
  life.wal.epoch = test::kFirstEpoch - 1;
  const Status opened = life.Open();
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::kCorruption);
}

TEST_F(RecoveryTest, KnownPositionsAreFoundInCursorCatalogAndNames) {
  RunAndStop(20);
  const auto known = ReadKnownPositions(disk_, test::kSinkFolder).value();
  EXPECT_EQ(known.epoch, test::kFirstEpoch);
  EXPECT_EQ(known.cursor_epoch, test::kFirstEpoch);
  EXPECT_GT(known.cursor, Position(0));
  ASSERT_TRUE(disk_.Remove(At("cursor")));
  const auto of_catalog = ReadKnownPositions(disk_, test::kSinkFolder).value();
  EXPECT_EQ(of_catalog.cursor_epoch, test::kFirstEpoch);
  EXPECT_GT(of_catalog.cursor, Position(0));
  ASSERT_TRUE(disk_.Remove(At("catalog.log")));
  const auto of_names = ReadKnownPositions(disk_, test::kSinkFolder).value();
  EXPECT_EQ(of_names.epoch, test::kFirstEpoch);
  EXPECT_EQ(of_names.cursor, of_catalog.cursor);
}

TEST_F(RecoveryTest, ADataSetThatIsAddedStartsAtTheWatermark) {
  SinkOptions only_a = Options();
  only_a.datasets.pop_back();
  {
    test::SinkLife life(disk_, log_, only_a);
    ASSERT_TRUE(life.Open());
    ASSERT_TRUE(life.Feed(12));
    ASSERT_TRUE(life.sink().FinishAll());
  }
  Finish();
  auto ready = test::ReadyRows(disk_);
  for (const auto& [position, row] : ready["b"]) EXPECT_GT(position, 12);
  EXPECT_EQ(ready["a"].size(), expected_.rows.at("a").size());
  EXPECT_EQ(test::CatalogOf(disk_).Tiles("b", test::kFirstEpoch).front().reason,
            format::CoverageReason::kJoined);
}

TEST_F(RecoveryTest, ADataSetThatWasRemovedForATimeGoesOnAtTheWatermark) {
  RunAndStop(6);
  SinkOptions only_a = Options();
  only_a.datasets.pop_back();
  {
    test::SinkLife life(disk_, log_, only_a);
    ASSERT_TRUE(life.Open());
    EXPECT_THAT(life.notes(),
                ::testing::Contains(::testing::EndsWith(
                    "data set b is kept here no more: 24 positions of the write-ahead log, 1 to "
                    "24, are not taken for it")));
    ASSERT_TRUE(life.Feed(12));
    ASSERT_TRUE(life.sink().FinishAll());
  }
  Finish();
  EXPECT_THAT(notes_, ::testing::IsEmpty());
  auto ready = test::ReadyRows(disk_);
  for (const auto& [position, row] : ready["b"]) EXPECT_GT(position, 12);
}

TEST_F(RecoveryTest, AFileThatContradictsTheCatalogIsSetAside) {
  RunAndStop(20);
  const std::string path = test::ReadyPaths(disk_).front();
  const std::string bytes = test::ReadFile(disk_, At("ready/" + path));
  const std::string copy =
      "a/date=2026-11-30/hour=12/gw_0000000000005f3c_00000000000000000001_"
      "00000000000000000002.parquet";
  ASSERT_NE(copy, path);
  ASSERT_TRUE((*disk_.CreateLocked(At("ready/" + copy)))->WriteAt(0, bytes));
  Finish();
  EXPECT_EQ(OutcomeOf(disk_), expected_);
  EXPECT_EQ(test::ReadFile(disk_, At("strays/" + copy)), bytes);
}

TEST_F(RecoveryTest, AFileThatSomebodyRemovedLeavesTheCatalog) {
  RunAndStop(20);
  const std::string path = test::ReadyPaths(disk_).front();
  ASSERT_TRUE(disk_.Remove(At("ready/" + path)));
  Finish();
  EXPECT_EQ(test::CatalogOf(disk_).files().count(path), 0);
  EXPECT_THAT(notes_, ::testing::Contains(::testing::HasSubstr("somebody removed it")));
}

TEST_F(RecoveryTest, ADamagedCursorStopsTheStart) {
  RunAndStop(20);
  ASSERT_TRUE(disk_.Remove(At("cursor")));
  ASSERT_TRUE((*disk_.CreateLocked(At("cursor")))->WriteAt(0, "nonsense\n"));
  test::SinkLife life(disk_, log_, Options());
  const Status opened = life.Open();
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::kCorruption);
}

}  // namespace
}  // namespace tidemark::edge

#include "edge/wal/repair.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "edge/wal/log_scan.h"
#include "edge/wal/log_walk.h"
#include "format/source_token.h"
#include "tests/support/wal_rig.h"

namespace tidemark::edge {
namespace {

using test::WalLife;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kFolder = WalLife::kFolder;

void Replace(io::FileSystem& disk, const std::string& path, std::string_view bytes) {
  IgnoreError(disk.Remove(path), "made anew");
  const auto file = std::move(*disk.CreateLocked(path));
  ASSERT_TRUE(file->WriteAt(0, bytes));
  ASSERT_TRUE(file->Sync());
}

// Twelve records "r1" to "r12", two a group, in segments of about three groups, and behind them the
// empty one of a later opening.
void WriteLog(io::FileSystem& disk) {
  WalLife later(disk);
  WalLife life(disk, {.segment_bytes = 250});
  ASSERT_TRUE(life.Open());
  for (int i = 1; i < 12; i += 2) {
    const std::string token =
        format::EncodeSourceToken({.stream = "f", .place = std::to_string(i + 1)});
    ASSERT_TRUE(life.Append({"r" + std::to_string(i), "r" + std::to_string(i + 1)}, token));
  }
  ASSERT_TRUE(life.Close());
  ASSERT_TRUE(later.Open());
}

std::vector<std::string> SegmentsOf(io::FileSystem& disk) {
  std::vector<std::string> paths;
  const auto scan = ScanLog(disk, kFolder);
  for (const auto& segment : scan->segments) paths.push_back(segment.path);
  return paths;
}

// What a reader gets of twelve positions, holes included: "r1 r2 hole 3..4 r5 …".
void ExpectWholeOrNoted(const std::vector<std::string>& payloads) {
  int expected = 1;
  for (const std::string& payload : payloads) {
    if (payload == "r" + std::to_string(expected)) {
      ++expected;
      continue;
    }
    int first = 0;
    int last = 0;
    ASSERT_EQ(std::sscanf(payload.c_str(), "hole %d..%d", &first, &last), 2) << payload;
    ASSERT_EQ(first, expected);
    expected = last + 1;
  }
  EXPECT_EQ(expected, 13);
}

TEST(RepairLog, LeavesAWholeLogAlone) {
  io::LossyFileSystem disk;
  WriteLog(disk);
  EXPECT_THAT(RepairLog(disk, kFolder)->steps, IsEmpty());
}

TEST(RepairLog, DoesNotTouchALogInUse) {
  io::LossyFileSystem disk;
  WalLife life(disk);
  ASSERT_TRUE(life.Open());
  EXPECT_EQ(RepairLog(disk, kFolder).error().code, ErrorCode::kAlreadyExists);
}

TEST(RepairLog, KeepsTheOtherRecordsOfADamagedGroup) {
  io::LossyFileSystem disk;
  WriteLog(disk);
  const std::string path = SegmentsOf(disk).front();
  std::string bytes = *disk.Read(path, 0, INT64_MAX);
  bytes[bytes.find("r3")] = 'X';
  Replace(disk, path, bytes);
  const auto report = RepairLog(disk, kFolder);
  EXPECT_THAT(report->steps, Contains(HasSubstr("positions 3 to 3 are lost")));
  EXPECT_THAT(report->steps, Contains(HasSubstr(".damaged-")));
  WalLife life(disk);
  ASSERT_TRUE(life.Open());
  EXPECT_THAT(
      life.Payloads(),
      ElementsAre(
          "r1", "r2", "hole 3..3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12"));
  EXPECT_EQ(life.wal().LatestPlace("drop", "f"), "12");
}

// Any byte of any segment; then any byte of two.
TEST(RepairLog, WhateverIsDamagedTheRestOpensAndPositionsStay) {
  io::LossyFileSystem model;
  WriteLog(model);
  const auto segments = SegmentsOf(model);
  ASSERT_GT(segments.size(), 2u);
  io::SeededRandom random(5);
  for (int round = 0; round < 1500; ++round) {
    io::LossyFileSystem disk;
    WriteLog(disk);
    for (int fault = round % 3; fault >= 0; --fault) {
      const std::string& path = segments[random.Next() % segments.size()];
      std::string bytes = *disk.Read(path, 0, INT64_MAX);
      bytes[random.Next() % bytes.size()] ^= static_cast<char>(1 << random.Next() % 8);
      Replace(disk, path, bytes);
    }
    const auto report = RepairLog(disk, kFolder);
    ASSERT_TRUE(report) << round << ": " << report.error().message;
    WalLife life(disk);
    const Status opened = life.Open();
    ASSERT_TRUE(opened) << round << ": " << opened.error().message;
    ExpectWholeOrNoted(life.Payloads());
    const auto next = life.Append({"new"});
    ASSERT_EQ(next->first, Position(13)) << round;
    if (HasFailure()) FAIL() << "round " << round;
  }
}

TEST(RepairLog, CanBeCalledAgainAfterACrashInTheMiddle) {
  for (int changes = 0; changes < 60; ++changes) {
    io::LossyFileSystem disk;
    WriteLog(disk);
    for (const std::string& path : SegmentsOf(disk)) {
      std::string bytes = *disk.Read(path, 0, INT64_MAX);
      bytes[bytes.size() / 2] ^= 1;
      Replace(disk, path, bytes);
    }
    {
      test::CuttableFileSystem dying(disk);
      dying.CutAfter(changes, changes % 2 == 0);
      IgnoreError(RepairLog(dying, kFolder), "it dies");
    }
    ASSERT_TRUE(RepairLog(disk, kFolder)) << changes;
    WalLife life(disk);
    ASSERT_TRUE(life.Open()) << changes;
    ExpectWholeOrNoted(life.Payloads());
    if (HasFailure()) FAIL() << changes;
  }
}

TEST(RepairLog, AMissingSegmentBecomesAHole) {
  io::LossyFileSystem disk;
  WriteLog(disk);
  const auto segments = SegmentsOf(disk);
  const auto lost = ScanLog(disk, kFolder)->segments[1];
  ASSERT_TRUE(disk.Remove(segments[1]));
  ASSERT_TRUE(RepairLog(disk, kFolder));
  WalLife life(disk);
  ASSERT_TRUE(life.Open());
  EXPECT_THAT(life.Payloads(),
              Contains("hole " + std::to_string(lost.first().value()) + ".." +
                       std::to_string(lost.last.value())));
}

TEST(ScanText, ShowsSegmentsHolesAndDamage) {
  io::LossyFileSystem disk;
  EXPECT_EQ(ScanText(kFolder, *ScanLog(disk, kFolder)), "/data/wal: no write-ahead log\n");
  WriteLog(disk);
  EXPECT_THAT(ScanText(kFolder, *ScanLog(disk, kFolder)),
              AllOf(HasSubstr("durable through position 12, ends at 12"),
                    HasSubstr("00000000000000000001.wal  positions 1 to ")));
  const std::string path = SegmentsOf(disk).front();
  Replace(disk, path, "short");
  EXPECT_THAT(ScanText(kFolder, *ScanLog(disk, kFolder)),
              AllOf(HasSubstr("DAMAGED: /data/wal/00000000000000000001.wal: damaged at byte 0"),
                    HasSubstr("cut short")));
}

TEST(WalkRecords, GivesRecordsAsLines) {
  io::LossyFileSystem disk;
  {
    WalLife life(disk);
    ASSERT_TRUE(life.Open());
    ASSERT_TRUE(life.Append({R"({"n":1})", "\xff"}, "tok"));
  }
  std::string text;
  const auto scan = ScanLog(disk, kFolder);
  ASSERT_TRUE(WalkRecords(disk, *scan, Position(1), [&](const format::WalRecord& record) {
    text += RecordLine(record);
    return true;
  }));
  EXPECT_EQ(text,
            R"({"position":1,"ingest_time":"2026-09-21T14:13:20.000000Z","clock_synced":true,)"
            R"("source":"drop","topic":"t","payload":"{\"n\":1}"})"
            "\n"
            R"({"position":2,"ingest_time":"2026-09-21T14:13:20.000000Z","clock_synced":true,)"
            R"("source":"drop","topic":"t","token_hex":"746f6b","payload_base64":"/w=="})"
            "\n");
}

}  // namespace
}  // namespace tidemark::edge

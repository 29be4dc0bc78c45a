// The log of rejects on disk: kept in place, read in pieces, and what it promised survives.

#include "edge/segment/reject_log.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "io/lossy_file_system.h"
#include "tests/edge/sink_rig.h"

namespace tidemark::edge {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

const std::string kLog = std::string(test::kSinkFolder) + "/quarantine/rejects.log";
constexpr std::int64_t kPieceBytes = 1 << 20;

bool All(const format::RejectRecord& /*reject*/) { return true; }

format::RejectRecord RejectAt(std::int64_t position, std::size_t payload_bytes = 10) {
  return {.epoch = test::kFirstEpoch,
          .position = Position(position),
          .ingest_time = Micros(0),
          .clock_synced = true,
          .dataset = "a",
          .source = "drop",
          .topic = "t",
          .reason = "decode.json",
          .detail = "",
          .payload = std::string(payload_bytes, 'x')};
}

// Notes the longest read.
class MeasuringFileSystem final : public test::ForwardingFileSystem {
 public:
  using ForwardingFileSystem::ForwardingFileSystem;

  Result<std::string> Read(const std::string& path,
                           std::int64_t offset,
                           std::int64_t size) override {
    return Noted(inner_.Read(path, offset, size));
  }

  Result<std::unique_ptr<io::ReadFile>> OpenToRead(const std::string& path) override {
    TIDEMARK_TRY(auto file, inner_.OpenToRead(path));
    return std::make_unique<MeasuredFile>(*this, std::move(file));
  }

  std::size_t longest_read = 0;

 private:
  class MeasuredFile final : public test::ForwardingReadFile {
   public:
    MeasuredFile(MeasuringFileSystem& fs, std::unique_ptr<io::ReadFile> inner)
        : ForwardingReadFile(std::move(inner)), fs_(fs) {}

    Result<std::string> Read(std::int64_t offset, std::int64_t size) const override {
      return fs_.Noted(inner_->Read(offset, size));
    }

   private:
    MeasuringFileSystem& fs_;
  };

  Result<std::string> Noted(Result<std::string> bytes) {
    if (bytes) longest_read = std::max(longest_read, bytes->size());
    return bytes;
  }
};

class RejectLogTest : public ::testing::Test {
 protected:
  std::unique_ptr<RejectLog> Open(io::FileSystem& disk, const RejectLog::Keeps& keeps = All) {
    sink_ = std::make_unique<SinkFolder>(disk, test::kSinkFolder);
    auto log = RejectLog::Open(*sink_, keeps, std::nullopt, notes_);
    EXPECT_TRUE(log) << log.error().message;
    return log ? std::move(*log) : nullptr;
  }

  void Write(RejectLog& log, std::int64_t position, std::size_t payload_bytes = 10) {
    ASSERT_TRUE(log.Add(RejectAt(position, payload_bytes)));
    ASSERT_TRUE(log.Commit(test::kFirstEpoch, Position(position)));
  }

  io::FileIdentity Identity() { return disk_.OpenToRead(kLog).value()->identity(); }

  io::LossyFileSystem disk_;
  std::unique_ptr<SinkFolder> sink_;
  std::vector<std::string> notes_;
};

TEST_F(RejectLogTest, ALongLogIsReadInPieces) {
  {
    const auto log = Open(disk_);
    for (std::int64_t position = 1; position <= 80; ++position) Write(*log, position, 100'000);
  }
  MeasuringFileSystem measured(disk_);
  Open(measured);
  EXPECT_LE(measured.longest_read, kPieceBytes);
  Open(measured, [](const auto& reject) { return reject.position != Position(40); });
  EXPECT_LE(measured.longest_read, kPieceBytes);
  EXPECT_EQ(test::Rejects(disk_).size(), 79);
  EXPECT_TRUE(RejectLog::Check(*sink_, std::nullopt));
  EXPECT_LE(measured.longest_read, kPieceBytes);
}

TEST_F(RejectLogTest, ARejectLongerThanAPieceIsReadWhole) {
  Write(*Open(disk_), 1, 3 * kPieceBytes);
  const auto log = Open(disk_, [](const auto& reject) { return reject.position == Position(1); });
  Write(*log, 2);
  EXPECT_THAT(test::Rejects(disk_), ElementsAre(Pair(1, "decode.json"), Pair(2, "decode.json")));
}

TEST_F(RejectLogTest, WhatStandsStaysInItsFileAndWhatHasNoMarkIsCut) {
  {
    const auto log = Open(disk_);
    Write(*log, 1);
    ASSERT_TRUE(log->Add(RejectAt(2, 2 * kPieceBytes)));  // written, and not marked
  }
  const auto before = Identity();
  Write(*Open(disk_), 3);
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("behind the last mark are decided again")));
  EXPECT_EQ(Identity(), before);
  EXPECT_THAT(test::Rejects(disk_), ElementsAre(Pair(1, "decode.json"), Pair(3, "decode.json")));
}

TEST_F(RejectLogTest, WhatDoesNotStandIsLeftOut) {
  {
    const auto log = Open(disk_);
    for (std::int64_t position = 1; position <= 3; ++position) Write(*log, position);
  }
  Open(disk_, [](const auto& reject) { return reject.position != Position(2); });
  EXPECT_THAT(test::Rejects(disk_), ElementsAre(Pair(1, "decode.json"), Pair(3, "decode.json")));
}

// The system shows a batch whose sync failed as if it were on disk.
TEST_F(RejectLogTest, ABatchWhoseSyncFailedIsWrittenAgain) {
  {
    const auto log = Open(disk_);
    Write(*log, 1);
    ASSERT_TRUE(log->Add(RejectAt(2)));
    disk_.FailNextSync();
    ASSERT_FALSE(log->Commit(test::kFirstEpoch, Position(2)));
  }
  Open(disk_);
  io::SeededRandom random(1);
  disk_.LosePower(random);
  EXPECT_THAT(test::Rejects(disk_), ElementsAre(Pair(1, "decode.json"), Pair(2, "decode.json")));
}

TEST_F(RejectLogTest, ALogBegunByAProcessThatDiedKeepsItsName) {
  bool reached = true;
  for (int changes = 0; reached; ++changes) {
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
      io::LossyFileSystem disk;
      test::CuttableFileSystem dying(disk);
      dying.CutAfter(changes, /*acts=*/true);
      SinkFolder folder(dying, test::kSinkFolder);
      reached = !RejectLog::Open(folder, All, std::nullopt, notes_).has_value();
      Write(*Open(disk), 1);
      io::SeededRandom random(seed);
      disk.LosePower(random);
      ASSERT_EQ(disk.SizeOf(kLog).value().has_value(), true) << changes;
      EXPECT_THAT(test::Rejects(disk), ElementsAre(Pair(1, "decode.json"))) << changes;
    }
  }
}

TEST_F(RejectLogTest, AFileThatIsNoLogOfRejectsIsLeftAlone) {
  Write(*Open(disk_), 1);
  ASSERT_TRUE(disk_.OpenLocked(kLog).value()->WriteAt(0, "not ours"));
  const auto log = RejectLog::Open(*sink_, All, std::nullopt, notes_);
  ASSERT_FALSE(log);
  EXPECT_EQ(log.error().code, ErrorCode::kCorruption);
  EXPECT_THAT(log.error().message, HasSubstr("rejects.log does not begin with TDMKREJ1"));
  EXPECT_TRUE(test::ReadFile(disk_, kLog).starts_with("not ours"));
}

// Flips a bit of the first reject.
void Damage(io::LossyFileSystem& disk) {
  const std::int64_t at = 40;
  std::string byte = disk.OpenToRead(kLog).value()->Read(at, 1).value();
  byte[0] = static_cast<char>(byte[0] ^ 1);
  ASSERT_TRUE(disk.OpenLocked(kLog).value()->WriteAt(at, byte));
}

TEST_F(RejectLogTest, DamageBeforeDurableRejectsStopsTheStartAndCutsNothing) {
  {
    const auto log = Open(disk_);
    for (std::int64_t position = 1; position <= 3; ++position) Write(*log, position);
  }
  Damage(disk_);
  const std::string before = test::ReadFile(disk_, kLog);
  const auto log = RejectLog::Open(*sink_, All, std::nullopt, notes_);
  ASSERT_FALSE(log);
  EXPECT_EQ(log.error().code, ErrorCode::kCorruption);
  EXPECT_THAT(log.error().message, HasSubstr("rejects.log: damaged at byte 8 of"));
  EXPECT_THAT(log.error().message, HasSubstr("up to position 3"));
  EXPECT_EQ(RejectLog::Check(*sink_, std::nullopt).error().code, ErrorCode::kCorruption);
  EXPECT_EQ(test::ReadFile(disk_, kLog), before);
}

// A power loss may keep the end of a batch that was never synced and lose its beginning.
TEST_F(RejectLogTest, TheLastBatchIsDamagedOnlyWhenTheCursorIsBeyondIt) {
  Write(*Open(disk_), 5);
  Damage(disk_);
  format::SinkCursor cursor{.epoch = test::kFirstEpoch, .coverage = {}};
  cursor.coverage["telemetry.v1"] = Position(5);
  EXPECT_EQ(RejectLog::Check(*sink_, cursor).error().code, ErrorCode::kCorruption);
  cursor.coverage["telemetry.v1"] = Position(4);
  EXPECT_TRUE(RejectLog::Check(*sink_, cursor));
  EXPECT_TRUE(RejectLog::Open(*sink_, All, cursor, notes_));
  EXPECT_TRUE(test::Rejects(disk_).empty());
}

}  // namespace
}  // namespace tidemark::edge

// Damage, as it is found by an opening. What a crash leaves is in tests/wal.

#include "edge/wal/recover.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

constexpr const char* kFirst = "/data/wal/00000000000000000001.wal";
constexpr std::int64_t kMark = format::kWalGroupHeaderBytes;

std::string BytesOf(io::FileSystem& disk, const std::string& path) {
  return *disk.Read(path, 0, INT64_MAX);
}

void Replace(io::FileSystem& disk, const std::string& path, std::string_view bytes) {
  IgnoreError(disk.Remove(path), "made anew");
  const auto file = std::move(*disk.CreateLocked(path));
  ASSERT_TRUE(file->WriteAt(0, bytes));
  ASSERT_TRUE(file->Sync());
}

// Three groups of one segment: "a", "b" with "c", "d"; the mark behind them when `closed`.
struct SmallLog {
  explicit SmallLog(bool closed = true) {
    WalLife life(disk);
    EXPECT_TRUE(life.Open());
    EXPECT_TRUE(life.Append({"a"}));
    ends.push_back(life.wal().bytes());
    EXPECT_TRUE(life.Append({"b", "c"}));
    ends.push_back(life.wal().bytes());
    EXPECT_TRUE(life.Append({"d"}));
    ends.push_back(life.wal().bytes());
    if (!closed) life.Kill();
  }

  // What an opening says and then reads.
  std::vector<std::string> Reopened() {
    WalLife life(disk);
    const Status opened = life.Open();
    if (!opened) return {std::string(ToString(opened.error().code)), opened.error().message};
    notes = life.wal().opening().notes;
    return life.Payloads();
  }

  io::LossyFileSystem disk;
  std::vector<std::int64_t> ends;  // of the groups
  std::vector<std::string> notes;
};

// Complaint C29: one flipped bit, anywhere.
TEST(WalDamage, EveryFlippedBitStopsTheStartAndIsNamed) {
  SmallLog model;
  const std::string whole = BytesOf(model.disk, kFirst);
  const std::size_t marked = whole.size() - static_cast<std::size_t>(kMark);
  for (std::size_t bit = 0; bit < 8 * marked; ++bit) {
    SmallLog log;
    std::string damaged = whole;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    Replace(log.disk, kFirst, damaged);
    const auto said = log.Reopened();
    ASSERT_EQ(said.front(), "corruption") << "bit " << bit;
    EXPECT_THAT(said.back(),
                AllOf(HasSubstr(kFirst), HasSubstr("tidemark wal repair --data /data")));
  }
}

TEST(WalDamage, ADamagedMarkCostsNothing) {
  SmallLog log;
  std::string bytes = BytesOf(log.disk, kFirst);
  bytes.back() ^= 1;
  Replace(log.disk, kFirst, bytes);
  EXPECT_THAT(log.Reopened(), ElementsAre("a", "b", "c", "d"));
}

TEST(WalDamage, SaysWhereAndBetweenWhichPositions) {
  SmallLog log;
  std::string bytes = BytesOf(log.disk, kFirst);
  bytes[static_cast<std::size_t>(log.ends[0]) + kMark + 20] ^= 1;  // in the frame of "b"
  Replace(log.disk, kFirst, bytes);
  EXPECT_THAT(log.Reopened().back(),
              AllOf(HasSubstr("damaged at byte " + std::to_string(log.ends[0] + kMark)),
                    HasSubstr("the last whole position before it is 1, the first behind it is 3"),
                    HasSubstr("checksum")));
}

TEST(WalDamage, AnEndThatIsMissingThoughVouchedForIsDamage) {
  SmallLog log;
  ASSERT_EQ(log.Reopened().size(), 4u);  // a second segment, whose header vouches for the first
  Replace(
      log.disk, kFirst, BytesOf(log.disk, kFirst).substr(0, static_cast<std::size_t>(log.ends[1])));
  EXPECT_THAT(log.Reopened(), ElementsAre("corruption", HasSubstr("positions 4 to 4 are missing")));
}

TEST(WalDamage, AMissingSegmentIsDamage) {
  io::LossyFileSystem disk;
  {
    WalLife life(disk, {.segment_bytes = 1});
    ASSERT_TRUE(life.Open());
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(life.Append({"x"}));
  }
  ASSERT_TRUE(disk.Remove("/data/wal/00000000000000000002.wal"));
  WalLife life(disk);
  EXPECT_THAT(life.Open().error().message, HasSubstr("positions 2 to 2 are missing"));
}

TEST(WalDamage, ASegmentOfAnotherLogIsRefused) {
  SmallLog log;
  Replace(log.disk, "/data/wal/epoch", "0000000000000007\n");
  EXPECT_THAT(log.Reopened(), ElementsAre("corruption", HasSubstr("of the log 00065bfeda25e000")));
}

TEST(WalRecovery, AnUnreadableEpochFileIsWrittenAgain) {
  SmallLog log;
  const std::string epoch = BytesOf(log.disk, "/data/wal/epoch");
  for (const auto* text : {"", "nonsense"}) {
    Replace(log.disk, "/data/wal/epoch", text);
    EXPECT_THAT(log.Reopened(), ElementsAre("a", "b", "c", "d"));
    EXPECT_EQ(BytesOf(log.disk, "/data/wal/epoch"), epoch);
  }
}

// The last group was under way when the power went: any part of it may be there.
TEST(WalRecovery, ATornGroupIsCutWholeAndSetAside) {
  const SmallLog model(/*closed=*/false);
  for (std::int64_t end = model.ends[1] + 1; end < model.ends[2]; ++end) {
    SmallLog log(/*closed=*/false);
    const std::string bytes = BytesOf(log.disk, kFirst).substr(0, static_cast<std::size_t>(end));
    Replace(log.disk, kFirst, bytes);
    ASSERT_THAT(log.Reopened(), ElementsAre("a", "b", "c")) << end;
    const std::string aside = std::string(kFirst) + ".cut-" + std::to_string(log.ends[1]);
    EXPECT_THAT(log.notes, Contains(AllOf(HasSubstr("never acknowledged"), HasSubstr(aside))));
    EXPECT_EQ(BytesOf(log.disk, aside), bytes.substr(static_cast<std::size_t>(log.ends[1])));
  }
}

TEST(WalRecovery, AHoleInTheLastGroupCutsIt) {
  const SmallLog model(/*closed=*/false);
  for (std::int64_t at = model.ends[1]; at < model.ends[2]; ++at) {
    SmallLog log(/*closed=*/false);
    const std::string whole = BytesOf(log.disk, kFirst);
    std::string holed = whole;
    std::fill(holed.begin() + at, holed.begin() + std::min(at + 16, log.ends[2]), '\0');
    if (holed == whole) continue;  // zeros anyway
    Replace(log.disk, kFirst, holed);
    EXPECT_THAT(log.Reopened(), ElementsAre("a", "b", "c")) << at;
  }
}

TEST(WalRecovery, CutsAgainAfterACrashInTheMiddleOfTheOpening) {
  for (int changes = 0; changes < 40; ++changes) {
    for (const bool acts : {false, true}) {
      SmallLog log(/*closed=*/false);
      Replace(log.disk, kFirst, BytesOf(log.disk, kFirst) + "torn");
      {
        WalLife life(log.disk);
        life.disk().CutAfter(changes, acts);
        IgnoreError(life.Open(), "it dies");
      }
      EXPECT_THAT(log.Reopened(), ElementsAre("a", "b", "c", "d")) << changes;
    }
  }
}

TEST(WalRecovery, AFullDiskAtTheStartDoesNotKeepTheLogShut) {
  SmallLog log(/*closed=*/false);
  const std::string whole = BytesOf(log.disk, kFirst);
  Replace(log.disk, kFirst, whole + std::string(5000, 'x'));
  log.disk.SetCapacity(static_cast<std::int64_t>(whole.size()) + 5000 + 17 + 400);
  EXPECT_THAT(log.Reopened(), ElementsAre("a", "b", "c", "d"));
  EXPECT_THAT(log.notes, Contains(HasSubstr("not set aside")));
}

TEST(WalRecovery, StartsWithoutWorkLeaveOneEmptySegment) {
  SmallLog log;
  for (int i = 0; i < 5; ++i) {
    WalLife life(log.disk);
    ASSERT_TRUE(life.Open());
    EXPECT_THAT(life.wal().opening().notes, IsEmpty());
    EXPECT_EQ(life.wal().segments().size(), 2u);
  }
}

// Requests a stop when so many files have been opened to be read.
class StoppingFileSystem final : public test::ForwardingFileSystem {
 public:
  StoppingFileSystem(io::FileSystem& inner, int opens)
      : ForwardingFileSystem(inner), left_(opens) {}

  Result<std::unique_ptr<io::ReadFile>> OpenToRead(const std::string& path) override {
    if (--left_ == 0) source.request_stop();
    return inner_.OpenToRead(path);
  }

  int opened_after() const { return -left_; }

  std::stop_source source;

 private:
  int left_;
};

TEST(WalRecovery, AStopDuringTheCheckEndsItAndChangesNothing) {
  io::LossyFileSystem disk;
  const WalOptions small{.segment_bytes = 100, .max_bytes = 10'000};
  {
    WalLife life(disk, small);
    ASSERT_TRUE(life.Open());
    for (int i = 0; i < 5; ++i) ASSERT_TRUE(life.Append({std::string(60, 'x')}));
  }
  const auto count = [&] {
    int segments = 0;
    EXPECT_TRUE(disk.VisitFolder(WalLife::kFolder, [&](std::string_view name, bool) {
      if (name.ends_with(".wal")) ++segments;
    }));
    return segments;
  };
  const int before = count();
  ASSERT_GE(before, 5);
  StoppingFileSystem stopping(disk, before + 2);  // headers, then groups
  WalOptions told = small;
  told.stop = stopping.source.get_token();
  EXPECT_EQ(WalLife(stopping, told).Open().error().code, ErrorCode::kCancelled);
  EXPECT_EQ(stopping.opened_after(), 0);
  EXPECT_EQ(count(), before);
  WalLife life(disk, small);
  ASSERT_TRUE(life.Open());
  EXPECT_EQ(life.Payloads().size(), 5);
}

TEST(WalRecovery, LeftoversOfAnEarlierProcessGo) {
  SmallLog log;
  Replace(log.disk, "/data/wal/00000000000000000005.wal.tmp", "half");
  EXPECT_EQ(log.Reopened().size(), 4u);
  EXPECT_EQ(*log.disk.SizeOf("/data/wal/00000000000000000005.wal.tmp"), std::nullopt);
}

}  // namespace
}  // namespace tidemark::edge

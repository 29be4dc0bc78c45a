// The catalog's log on disk: it does not grow with what is dead in it.

#include "edge/segment/catalog_log.h"

#include <gtest/gtest.h>

#include "io/lossy_file_system.h"
#include "tests/support/cuttable_file_system.h"

namespace tidemark::edge {
namespace {

constexpr char kFolder[] = "/sink";
constexpr char kLog[] = "/sink/catalog.log";

format::CoverageRecord Marker(std::int64_t position) {
  return {.epoch = Epoch(7),
          .dataset = "idle",
          .range = {Position(position), Position(position)},
          .reason = format::CoverageReason::kEmpty};
}

Position CoveredOnDisk(io::FileSystem& disk) {
  SinkFolder folder(disk, kFolder);
  std::vector<std::string> notes;
  return ReadCatalog(folder, notes).value().CoveredTo("idle", Epoch(7));
}

TEST(CatalogLog, IsWrittenAnewWhenMostOfItIsDead) {
  io::LossyFileSystem disk;
  SinkFolder folder(disk, kFolder);
  ASSERT_TRUE(folder.folders.Ensure(kFolder));
  std::vector<std::string> notes;
  const auto log = CatalogLog::Open(folder, notes).value();
  std::int64_t longest = 0;
  for (std::int64_t position = 1; position <= 10'000; ++position) {
    ASSERT_TRUE(log->Append(Marker(position)));
    longest = std::max(longest, disk.SizeOf(kLog)->value());
  }
  EXPECT_LT(disk.SizeOf(kLog)->value(), longest / 2);
  EXPECT_EQ(CoveredOnDisk(disk), Position(10'000));
}

TEST(CatalogLog, APowerLossWhileItIsWrittenAnewTakesNothing) {
  constexpr std::int64_t kBefore = 4095;  // the records after which the next writes it anew
  for (int changes = 0; changes < 12; ++changes) {
    SCOPED_TRACE(changes);
    io::LossyFileSystem disk;
    {
      test::CuttableFileSystem cuttable(disk);
      SinkFolder folder(cuttable, kFolder);
      ASSERT_TRUE(folder.folders.Ensure(kFolder));
      std::vector<std::string> notes;
      const auto log = CatalogLog::Open(folder, notes).value();
      for (std::int64_t position = 1; position <= kBefore; ++position) {
        ASSERT_TRUE(log->Append(Marker(position)));
      }
      cuttable.CutAfter(changes, /*acts=*/changes % 2 == 0);
      for (std::int64_t position = kBefore + 1; position <= kBefore + 3; ++position) {
        if (!log->Append(Marker(position))) break;
      }
    }
    io::SeededRandom random(static_cast<std::uint64_t>(changes));
    disk.LosePower(random);
    EXPECT_GE(CoveredOnDisk(disk), Position(kBefore));
  }
}

}  // namespace
}  // namespace tidemark::edge

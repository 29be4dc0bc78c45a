// A directory store that leaves out one kind of sync: a power loss must show it.

#include <gtest/gtest.h>

#include "io/lossy_file_system.h"
#include "io/random.h"
#include "io/sim_loop.h"
#include "store/directory_store.h"
#include "tests/support/run_task.h"
#include "tests/support/skipping_file_system.h"

namespace tidemark::test {
namespace {

constexpr int kRounds = 50;

// Whether every object that was acknowledged is there after each of the power losses.
bool SurvivesPowerLoss(const SkippingFileSystem::Skips& skips) {
  io::SimLoop loop;
  const auto pool = io::NewInlinePool(loop);
  io::SeededRandom random(5);
  for (int round = 0; round < kRounds; ++round) {
    io::LossyFileSystem disk;
    SkippingFileSystem files(disk, skips);
    const auto bucket =
        std::move(*store::DirectoryStore::Open(loop, *pool, files, random, "/data", "lake"));
    const auto bytes = std::make_shared<const std::string>("bytes");
    EXPECT_TRUE(RunTask(loop, bucket->Put("q/dt=1/w", "text/plain", bytes)));
    disk.LosePower(random);
    const auto again =
        std::move(*store::DirectoryStore::Open(loop, *pool, disk, random, "/data", "lake"));
    if (RunTask(loop, again->Get("q/dt=1/w"))->value_or("lost") != "bytes") return false;
  }
  return true;
}

TEST(SkippedSync, NoneSurvives) { EXPECT_TRUE(SurvivesPowerLoss({})); }

TEST(SkippedSync, OfTheFileIsSeen) {
  const auto any = [](const std::string&) { return true; };
  EXPECT_FALSE(
      SurvivesPowerLoss({.file = any, .folder = [](const std::string&) { return false; }}));
}

class SkippedFolderSync : public ::testing::TestWithParam<std::string> {};

TEST_P(SkippedFolderSync, IsSeen) {
  const auto this_one = [](const std::string& path) { return path == GetParam(); };
  EXPECT_FALSE(
      SurvivesPowerLoss({.file = [](const std::string&) { return false; }, .folder = this_one}));
}

INSTANTIATE_TEST_SUITE_P(Folders,
                         SkippedFolderSync,
                         ::testing::Values("/data/lake", "/data/lake/q", "/data/lake/q/dt=1"));

}  // namespace
}  // namespace tidemark::test

// Complaint C11. Power is lost anywhere between an event's arrival and its segment, several times
// over, also while the last loss is being recovered from. Then: nothing that was acknowledged is
// missing, nothing is twice, rejects included; what was finished stays as it was.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>

#include "io/durable_folders.h"
#include "tests/edge_pipeline/trial.h"

namespace tidemark::test {
namespace {

using Skips = SkippingFileSystem::Skips;

// A thousand seeds in all, in parts that run side by side.
constexpr std::uint64_t kParts = 8;
constexpr std::uint64_t kSeedsPerPart = 125;

class PipelinePowerLoss : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(PipelinePowerLoss, NothingAcknowledgedIsMissingAndNothingIsTwice) {
  TrialCounts counts;
  const std::uint64_t first = GetParam() * kSeedsPerPart + 1;
  for (std::uint64_t seed = first; seed < first + kSeedsPerPart; ++seed) {
    PowerTrial trial(seed, {}, counts);
    const auto fault = trial.Run();
    ASSERT_EQ(fault, std::nullopt) << "seed " << seed;
  }
  // The trials reach what they are for.
  EXPECT_GT(counts.power_losses, 200);
  EXPECT_GT(counts.dead_at_opening, 5);
  EXPECT_GT(counts.dead_running, 50);
  EXPECT_GT(counts.failed, 0);
  EXPECT_GT(counts.ended, 20);
  EXPECT_GT(counts.segments, 500u);
  EXPECT_GT(counts.rejects, 100u);
  EXPECT_GT(counts.acknowledged, 300u);
  EXPECT_GT(counts.unacknowledged_kept, 0u);
  EXPECT_GT(counts.repeated, 0u);
}

INSTANTIATE_TEST_SUITE_P(Seeds, PipelinePowerLoss, ::testing::Range(std::uint64_t{0}, kParts));

struct PlantedBug {
  const char* name;
  Skips skips;
};

class SkippedSync : public ::testing::TestWithParam<PlantedBug> {};

// The trials can see: each kind of sync that is left out is found.
TEST_P(SkippedSync, IsFound) {
  TrialCounts counts;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    PowerTrial trial(seed, GetParam().skips, counts);
    if (const auto fault = trial.Run()) {
      RecordProperty("seen", fmt::format("seed {}: {}", seed, *fault));
      return;
    }
  }
  ADD_FAILURE() << "300 trials without " << GetParam().name << " saw nothing";
}

std::function<bool(const std::string&)> Holds(std::string part) {
  return [part = std::move(part)](const std::string& path) {
    return path.find(part) != std::string::npos;
  };
}

std::function<bool(const std::string&)> Is(std::string whole) {
  return [whole = std::move(whole)](const std::string& path) { return path == whole; };
}

std::function<bool(const std::string&)> EndsWith(std::string end) {
  return [end = std::move(end)](const std::string& path) { return path.ends_with(end); };
}

const std::string kData = kDataFolder;

INSTANTIATE_TEST_SUITE_P(
    Pipeline,
    SkippedSync,
    ::testing::Values(PlantedBug{"WalGroup", {.file = Holds("/wal/")}},
                      PlantedBug{"WalSegmentName", {.folder = Is(kData + "/wal")}},
                      PlantedBug{"SegmentBytes", {.file = Holds("/staging/")}},
                      PlantedBug{"SegmentName", {.folder = Holds("/hour=")}},
                      PlantedBug{"NewHour", {.folder = EndsWith("/date=2026-11-30")}},
                      PlantedBug{"NewDataSet", {.folder = EndsWith("/ready")}},
                      PlantedBug{"NewDataFolder", {.folder = Is(io::FolderOf(kDataFolder))}},
                      PlantedBug{"CatalogRecord", {.file = EndsWith("/catalog.log")}},
                      PlantedBug{"CursorBytes", {.file = EndsWith("/cursor")}},
                      PlantedBug{"CursorName", {.folder = EndsWith("/sinks/local")}},
                      PlantedBug{"RejectBytes", {.file = EndsWith("/rejects.log")}},
                      PlantedBug{"RejectName", {.folder = EndsWith("/quarantine")}}),
    [](const auto& bug) { return bug.param.name; });

}  // namespace
}  // namespace tidemark::test

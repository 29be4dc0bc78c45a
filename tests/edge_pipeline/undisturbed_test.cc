// A running pipeline, and what others do to its files.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/lossy_file_system.h"
#include "tests/edge_pipeline/outcome.h"
#include "tests/edge_pipeline/pipeline_life.h"

namespace tidemark::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

class RunningPipeline : public ::testing::Test {
 protected:
  RunningPipeline() {
    for (const char* folder : {"/in", "/var"}) EXPECT_TRUE(disk_.MakeFolder(folder));
    options_.rows_max = 1000;
    options_.age_max_s = 60;
    options_.start = ParseIso("2026-11-30T12:00:00Z").value();
  }

  void PutLines(std::string_view lines) {
    auto file = disk_.CreateLocked("/in/lines.jsonl");
    ASSERT_TRUE(file.has_value());
    input_ = std::move(*file);
    ASSERT_TRUE(input_->WriteAt(0, lines));
    input_bytes_ = std::ssize(lines);
  }

  // To those that were put.
  void AddLines(int lines) {
    std::string text;
    for (; lines > 0; --lines) text += "{\"v\":1}\n";
    ASSERT_TRUE(input_->WriteAt(input_bytes_, text));
    input_bytes_ += std::ssize(text);
  }

  void Start() {
    life_ = std::make_unique<PipelineLife>(disk_, clients_, options_);
    const Status opened = life_->Open();
    ASSERT_TRUE(opened) << opened.error().message;
    life_->Start();
  }

  std::map<RowId, int> Rows() { return StandingReader().Read(disk_).outcome[kLines]; }

  io::LossyFileSystem disk_;
  io::SeededRandom random_{1};
  Clients clients_{random_};
  LifeOptions options_;
  std::unique_ptr<io::File> input_;
  std::int64_t input_bytes_ = 0;
  std::unique_ptr<PipelineLife> life_;
};

// C14: data sits for hours because only a record makes anybody look.
TEST_F(RunningPipeline, C14ABurstIsInReadyAfterMaxAgeThoughNothingFollows) {
  PutLines("{\"v\":1}\n{\"v\":2}\n");
  Start();
  life_->Wait(std::chrono::seconds(58));
  EXPECT_THAT(Rows(), IsEmpty());
  life_->Wait(std::chrono::seconds(4));
  EXPECT_THAT(Rows(), ElementsAre(Pair(RowId(1, 0), 1), Pair(RowId(2, 0), 1)));
}

// C22: whoever tidies up takes a file that is being written.
TEST_F(RunningPipeline, C22AStagingFileThatSomebodyRemovedIsWrittenAgain) {
  PutLines("{\"v\":1}\n{\"v\":2}\n");
  Start();
  life_->Wait(std::chrono::seconds(5));
  std::string staged = kDataFolder;  // not by operator+: a false alarm of g++ 12
  staged += "/sinks/local/staging/lines/1.inprogress";
  ASSERT_TRUE(disk_.SizeOf(staged)->has_value());
  ASSERT_TRUE(disk_.Remove(staged));
  life_->Wait(std::chrono::seconds(65));
  EXPECT_EQ(life_->end(), std::nullopt);
  EXPECT_THAT(Rows(), ElementsAre(Pair(RowId(1, 0), 1), Pair(RowId(2, 0), 1)));
}

// A sink that stands still holds the log back; one that keeps up
// ends the file that the oldest segment waits for, and none at every tick from then on.
TEST_F(RunningPipeline, ASinkThatKeepsUpWritesNoSmallFilesBesideOneThatStandsStill) {
  options_.age_max_s = 3600;
  options_.wal_bytes_max = 20'000;
  options_.copy_is_full = true;
  PutLines("");
  Start();
  for (int second = 0; second < 20; ++second) {
    AddLines(10);
    life_->Wait(std::chrono::seconds(1));
  }
  const auto status = life_->status();
  ASSERT_GT(status.wal.bytes, options_.wal_bytes_max / 2);
  ASSERT_EQ(status.sinks[1].status.watermark, Position(0));
  EXPECT_GE(status.sinks[0].status.watermark, Position(100));
  EXPECT_EQ(status.sinks[0].status.counters.files, 1);
}

// A line that is too long for the log ends no start: it has a position and is rejected.
TEST_F(RunningPipeline, ALineAboveTheLimitOfTheLogIsRejectedAndTheRestIsWritten) {
  options_.follow = false;
  options_.record_bytes_max = 1000;
  PutLines("{\"v\":1}\n{\"v\":7" + std::string(5000, ' ') + "}\n{\"v\":2}\n");
  Start();
  life_->Wait(std::chrono::seconds(5));
  ASSERT_TRUE(life_->end().has_value());
  EXPECT_TRUE(*life_->end()) << life_->end()->error().message;
  const Outcome outcome = StandingReader().Read(disk_).outcome;
  EXPECT_THAT(outcome.at(kLines), ElementsAre(Pair(RowId(1, 0), 1), Pair(RowId(2, 0), 1)));
  EXPECT_THAT(outcome.at(RejectsOf("local", "lines")), ElementsAre(Pair(RowId(7, 0), 1)));
}

// C29: SIGTERM is taken notice of while a start reads the log.
TEST_F(RunningPipeline, AStopWhileItOpensEndsItAtOnceAndTheNextStartGoesOn) {
  PutLines("{\"v\":1}\n");
  Start();
  life_->Wait(std::chrono::seconds(5));
  life_.reset();
  life_ = std::make_unique<PipelineLife>(disk_, clients_, options_);
  life_->AskToDrain();
  EXPECT_EQ(life_->Open().error().code, ErrorCode::kCancelled);
  Start();
  EXPECT_TRUE(life_->Drain());
  EXPECT_THAT(Rows(), ElementsAre(Pair(RowId(1, 0), 1)));
}

// The log goes with everything in it, and what is taken in afterwards is new, whatever the old
// cursors say.
TEST_F(RunningPipeline, ALostLogMakesNothingNewLookReadAlready) {
  options_.follow = false;
  PutLines("{\"v\":1}\n{\"v\":2}\n");
  Start();
  life_->Wait(std::chrono::seconds(5));
  ASSERT_TRUE(life_->end().has_value());
  life_.reset();
  std::vector<std::string> log;
  const std::string folder = std::string(kDataFolder) + "/wal/";
  ASSERT_TRUE(
      disk_.VisitFolder(folder, [&](std::string_view name, bool) { log.emplace_back(name); }));
  for (const std::string& name : log) ASSERT_TRUE(disk_.Remove(folder + name));
  ASSERT_TRUE(disk_.Remove("/in/lines.jsonl"));
  PutLines("{\"v\":3}\n");
  Start();
  life_->Wait(std::chrono::seconds(5));
  EXPECT_THAT(Rows(),
              ElementsAre(Pair(RowId(1, 0), 1), Pair(RowId(2, 0), 1), Pair(RowId(3, 0), 1)));
}

}  // namespace
}  // namespace tidemark::test

#pragma once
// A pipeline that dies and loses power again and again, from one seed, and the judgement.

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "io/lossy_file_system.h"
#include "tests/edge_pipeline/outcome.h"
#include "tests/edge_pipeline/pipeline_life.h"
#include "tests/support/skipping_file_system.h"

namespace tidemark::test {

// What trials reach, over all of them.
struct TrialCounts {
  int lives = 0;
  int power_losses = 0;
  int dead_at_opening = 0;
  int dead_running = 0;
  int failed = 0;  // a full disk, a failed sync
  int ended = 0;   // drained, or at the end of the input
  std::size_t segments = 0;
  std::size_t rejects = 0;
  std::size_t acknowledged = 0;
  std::size_t unacknowledged_kept = 0;
  std::size_t repeated = 0;
};

class PowerTrial {
 public:
  PowerTrial(std::uint64_t seed, SkippingFileSystem::Skips skips, TrialCounts& counts)
      : random_(seed), synced_(disk_, std::move(skips)), counts_(counts) {}

  // The first thing that is wrong, in words; nullopt: nothing is.
  std::optional<std::string> Run();

 private:
  using Fault = std::optional<std::string>;

  bool Chance(std::uint64_t one_in) { return random_.Next() % one_in == 0; }

  int Up(std::uint64_t below) { return static_cast<int>(random_.Next() % below); }

  LifeOptions NewOptions();
  Fault Live();
  Fault LastLife();
  Fault LiveThrough(PipelineLife& life);
  void Disturb();
  void SetFull(bool full);
  Fault JudgeOpening(const PipelineLife& life);
  Fault JudgeNotes(const PipelineLife& life) const;
  Fault JudgeRise(const PipelineLife& life);
  Fault JudgeEnd();
  void WriteLines(int lines);
  void NewInputFile();

  io::SeededRandom random_;
  io::LossyFileSystem disk_;
  SkippingFileSystem synced_;
  TrialCounts& counts_;
  Micros now_ = ParseIso("2026-11-30T11:59:00Z").value();
  std::int64_t next_number_ = 1;
  Clients clients_{random_};
  std::deque<Event> lines_;
  std::unique_ptr<io::File> input_;
  std::int64_t input_bytes_ = 0;
  int input_files_ = 0;
  bool full_ = false;
  StandingReader reader_;
  Standing standing_;                        // when the last life had opened
  std::map<std::string, Position> highest_;  // that was seen, by sink; the log's is under ""
};

}  // namespace tidemark::test

#pragma once
// One life of a process that runs a pipeline, in virtual time, on a disk that it may lose.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "edge/pipeline.h"
#include "io/sim_loop.h"
#include "tests/edge_pipeline/posting_source.h"
#include "tests/support/cuttable_file_system.h"

namespace tidemark::test {

inline constexpr char kDataFolder[] = "/var/data";
inline constexpr char kInputFolder[] = "/in";

// What may be another in each life.
struct LifeOptions {
  int rows_max = 5;
  int age_max_s = 10;
  int open_files_max = 2;
  std::int64_t wal_segment_bytes = 1000;
  std::int64_t wal_bytes_max = std::int64_t{1} << 30;
  std::int64_t record_bytes_max = 1 << 20;
  bool clock_synced = true;
  bool follow = true;  // the file source ends with its files otherwise
  bool finalize_on_shutdown = true;
  bool copy_is_full = false;  // the sink `copy` has no room for anything
  Micros start;
};

// Sources `drop` (lines of /in/*) and `ingest` (posts), sinks `local` and `copy`: events.h.
edge::PipelineConfig PowerConfig(const LifeOptions& options);

// Stands still when the loop does.
class LoopClock final : public io::Clock {
 public:
  LoopClock(const io::Loop& loop, Micros start) : loop_(loop), start_(start) {}

  Micros Now() const override {
    return start_ + std::chrono::duration_cast<std::chrono::microseconds>(loop_.Now()).count();
  }

 private:
  const io::Loop& loop_;
  const Micros start_;
};

// `disk` and `clients` outlive it.
class PipelineLife {
 public:
  PipelineLife(io::FileSystem& disk, Clients& clients, const LifeOptions& options)
      : clients_(clients),
        disk_(disk),
        config_(PowerConfig(options)),
        clock_(loop_, options.start) {}

  ~PipelineLife();

  CuttableFileSystem& disk() { return disk_; }

  Status Open();
  // After Open: begins to run.
  void Start();

  void Wait(io::Duration time) { loop_.RunUntil(loop_.Now() + time); }

  // As SIGTERM.
  void AskToDrain() { drain_.request_stop(); }

  // As SIGTERM; waits until the pipeline has ended. False: it did not.
  bool Drain();

  // How it ended; nullopt: it runs.
  const std::optional<Status>& end() const { return end_; }

  edge::PipelineStatus status() const { return pipeline_->status(); }

  const std::vector<std::string>& notes() const { return notes_; }

  Micros now() const { return clock_.Now(); }

 private:
  Result<std::vector<std::unique_ptr<edge::Source>>> MakeSources(const edge::PipelineConfig& config,
                                                                 edge::Wal& wal,
                                                                 const edge::PipelineWorld& world);
  io::Task<void> RunToEnd();

  Clients& clients_;
  CuttableFileSystem disk_;
  edge::PipelineConfig config_;
  io::SimLoop loop_;
  LoopClock clock_;
  std::unique_ptr<io::WorkerPool> pool_ = io::NewInlinePool(loop_);
  obs::Metrics metrics_{obs::Wing::kEdge};
  std::vector<std::string> notes_;
  std::stop_source drain_;
  bool started_ = false;
  std::optional<Status> end_;
  std::unique_ptr<edge::Pipeline> pipeline_;
};

}  // namespace tidemark::test

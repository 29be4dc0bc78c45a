#pragma once
// A window whose records are in memory: the runs of a plan, as the commit reads them. What is
// packed is unpacked on the pool, a batch at a time.

#include <string>
#include <vector>

#include "io/worker_pool.h"
#include "lake/commit/window_source.h"
#include "lake/engine/plan.h"

namespace tidemark::lake {

// Loop, pool and plan outlive it. Loop thread.
class BufferedSource final : public WindowSource {
 public:
  // What a batch is unpacked into: this much and one block, or one record where that is larger.
  static constexpr std::size_t kUnpackedBytes = std::size_t{1} << 20;

  BufferedSource(io::Loop& loop, io::WorkerPool& pool, const Plan& plan);

  void Rewind() override;
  io::Task<Result<std::span<const format::RecordView>>> Next() override;

  // Unless something is packed.
  bool stable() const override { return stable_; }

 private:
  // Records of one run that share a text.
  struct Piece {
    const PlannedLane* lane = nullptr;
    const Run* run = nullptr;
    queen::RecordRange records;
    const queen::PackedBlock* block = nullptr;  // nullptr: their body is not packed
  };

  // Moves to the next run with records; false at the end.
  bool SkipToRecords();
  Piece NextPiece() const;
  void PlanBatch();
  void FillBatch();
  void AddRecords(const Piece& piece, std::string_view text);

  io::Loop& loop_;
  io::WorkerPool& pool_;
  const Plan& plan_;
  const bool stable_;
  std::size_t lane_ = 0;
  std::size_t run_ = 0;
  std::uint32_t record_ = 0;  // of the run
  std::vector<Piece> pieces_;
  std::string unpacked_;
  std::vector<format::RecordView> batch_;
};

}  // namespace tidemark::lake

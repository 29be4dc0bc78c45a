#pragma once
// A window whose records are in memory: the runs of a plan, as the commit reads them.

#include <vector>

#include "lake/commit/window_source.h"
#include "lake/engine/plan.h"

namespace tidemark::lake {

// The plan outlives it. Loop thread.
class BufferedSource final : public WindowSource {
 public:
  explicit BufferedSource(const Plan& plan) : plan_(plan) {}

  void Rewind() override;
  io::Task<Result<std::span<const format::RecordView>>> Next() override;

  bool stable() const override { return true; }

 private:
  // Moves to the next run with records; false at the end.
  bool SkipToRecords();

  const Plan& plan_;
  std::size_t lane_ = 0;
  std::size_t run_ = 0;
  std::size_t record_ = 0;
  std::vector<format::RecordView> batch_;
};

}  // namespace tidemark::lake

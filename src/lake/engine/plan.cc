#include "lake/engine/plan.h"

#include "lake/engine/lost_ranges.h"

namespace tidemark::lake {

std::vector<format::LostRange> RowsOf(const Plan& plan) {
  std::vector<format::LostRange> rows;
  for (const PlannedLane& lane : plan.lanes) {
    for (const Run& run : lane.runs) {
      const auto records = run.view();
      const bool whole = run.back().offset - run.front().offset + 1 == run.end - run.begin;
      if (whole) AppendLost(rows, lane.partition, run.front().offset, run.back().offset);
      for (auto record = records.begin(); !whole && record != records.end(); ++record) {
        AppendLost(rows, lane.partition, record->offset, record->offset);
      }
      if (rows.size() > kRowRunsMax) return {};
    }
  }
  return rows;
}

}  // namespace tidemark::lake

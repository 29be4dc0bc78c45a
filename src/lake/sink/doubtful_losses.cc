#include "lake/sink/doubtful_losses.h"

#include <algorithm>

#include "lake/engine/lost_ranges.h"

namespace tidemark::lake {

std::vector<AuditQuestion> DoubtfulLosses(const Plan& plan, const LogSource::Count& count) {
  std::vector<AuditQuestion> questions;
  auto lost = count.lost.begin();  // ascending, as the lanes are
  for (const PlannedLane& lane : plan.lanes) {
    lost = std::find_if(lost, count.lost.end(), [&](const format::LostRange& range) {
      return range.partition >= lane.partition;
    });
    if (lost == count.lost.end()) break;
    if (!lane.doubtful || lost->partition != lane.partition || lost->from != lane.from) continue;
    questions.push_back({.partition = lane.partition, .from = lane.from, .to = lost->to + 1});
  }
  return questions;
}

void TakeAnswers(const Plan& plan,
                 const std::vector<AuditQuestion>& questions,
                 const std::vector<AuditAnswer>& answers,
                 LogSource::Count& count) {
  LostRanges told;
  LostRanges found;
  for (const AuditAnswer& answer : answers) {
    told.push_back({.partition = answer.partition, .from = Offset(0), .to = answer.next - 1});
    const auto& asked = *std::ranges::find(questions, answer.partition, &AuditQuestion::partition);
    // Only a redo, which comes before anything was read, begins where the checkpoint says.
    if (plan.redo && answer.next < asked.from) {
      found.push_back({.partition = answer.partition, .from = answer.next, .to = asked.from - 1});
    }
  }
  count.lost = Union(Without(count.lost, told), found);
  count.holes = Without(count.holes, told);
}

}  // namespace tidemark::lake

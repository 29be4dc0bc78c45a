#include "lake/sink/doubtful_losses.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lake/commit/shipped_since.h"
#include "lake/engine/lost_ranges.h"

namespace tidemark::lake {

io::Task<Status> ForgetShipped(CommitContext& context,
                               const Documents& documents,
                               format::WindowNumber begun_at,
                               MemoryBudget& budget,
                               const Plan& plan,
                               LogSource::Count& count) {
  std::set<std::string_view> losing;
  for (const auto& range : count.lost) losing.insert(range.partition);
  std::vector<std::string> doubtful;
  for (const PlannedLane& lane : plan.lanes) {
    if (lane.doubtful && losing.contains(lane.partition)) doubtful.push_back(lane.partition);
  }
  if (doubtful.empty()) co_return Status();
  TIDEMARK_CO_TRY(const auto shipped,
                  co_await ShippedSince(context, documents, begun_at, std::move(doubtful), budget));
  LostRanges told;
  for (const auto& entry : shipped) {
    const auto first =
        std::ranges::find(count.lost, entry.partition, &format::LostRange::partition);
    // What follows a loss was not shipped so far: those windows are of a deleted predecessor.
    if (entry.next > first->to + 1) continue;
    told.push_back({.partition = entry.partition, .from = Offset(0), .to = entry.next - 1});
  }
  count.lost = Without(count.lost, told);
  count.holes = Without(count.holes, told);
  co_return Status();
}

}  // namespace tidemark::lake

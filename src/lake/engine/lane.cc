#include "lake/engine/lane.h"

#include <algorithm>

namespace tidemark::lake {

Run SplitBelow(Run& run, Micros t) {
  const auto records = run.view();
  const auto cut = std::ranges::lower_bound(records, t, {}, &queen::RecordSlice::ts);
  Run below = run;
  below.end = run.begin + static_cast<std::uint32_t>(cut - records.begin());
  run.begin = below.end;
  return below;
}

std::int64_t RecordWeight(const queen::RecordSlice& record, std::string_view partition) {
  constexpr std::int64_t kFixed = 64;
  constexpr std::int64_t kNullPayload = 4;
  const std::int64_t payload =
      record.payload_size == 0 ? kNullPayload : std::int64_t{record.payload_size};
  return kFixed + record.transaction_id_size + static_cast<std::int64_t>(partition.size()) +
         payload;
}

}  // namespace tidemark::lake

#include "lake/engine/lost_ranges.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace tidemark::lake {

LostRanges Normalized(LostRanges ranges) {
  std::ranges::sort(ranges, {}, [](const format::LostRange& range) {
    return std::tuple(std::string_view(range.partition), range.from, range.to);
  });
  LostRanges joined;
  for (format::LostRange& range : ranges) {
    if (range.from > range.to) continue;
    const bool touches = !joined.empty() && joined.back().partition == range.partition &&
                         range.from <= joined.back().to + 1;
    if (touches)
      joined.back().to = std::max(joined.back().to, range.to);
    else
      joined.push_back(std::move(range));
  }
  return joined;
}

LostRanges Without(const LostRanges& ranges, const LostRanges& taken) {
  const LostRanges holes = Normalized(taken);
  LostRanges left;
  for (format::LostRange range : Normalized(ranges)) {
    for (const format::LostRange& hole : holes) {
      if (hole.partition != range.partition || hole.to < range.from) continue;
      if (hole.from > range.to) break;
      if (hole.from > range.from)
        left.push_back({.partition = range.partition, .from = range.from, .to = hole.from - 1});
      range.from = hole.to + 1;
    }
    if (range.from <= range.to) left.push_back(std::move(range));
  }
  return left;
}

std::int64_t OffsetsIn(const LostRanges& ranges) {
  std::int64_t offsets = 0;
  for (const auto& range : ranges) offsets += range.to - range.from + 1;
  return offsets;
}

void AppendLost(LostRanges& ranges, std::string_view partition, Offset from, Offset to) {
  const bool continues =
      !ranges.empty() && ranges.back().partition == partition && ranges.back().to + 1 == from;
  if (continues) {
    ranges.back().to = to;
  } else {
    ranges.push_back({.partition = std::string(partition), .from = from, .to = to});
  }
}

LostRanges Union(LostRanges a, const LostRanges& b) {
  a.insert(a.end(), b.begin(), b.end());
  return Normalized(std::move(a));
}

}  // namespace tidemark::lake

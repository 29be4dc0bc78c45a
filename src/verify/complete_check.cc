#include "verify/complete_check.h"

#include <fmt/format.h>

#include "verify/lost_count.h"

namespace tidemark::verify {

void CompleteCheck::Enter(const format::Manifest& manifest) {
  Known known{
      .k = manifest.window.k, .end = manifest.window.end, .min_ts = manifest.min_ts, .lost = 0};
  for (const auto& range : manifest.lost) known.lost = SaturatingAdd(known.lost, CountOf(range));
  windows_.push_back(known);
}

std::vector<std::string> CompleteCheck::Contradictions(const format::Complete& complete) const {
  std::vector<std::string> found;
  const std::string through = FormatIso(complete.complete_through);
  std::int64_t lost = 0;
  for (const Known& window : windows_) {
    if (window.k <= complete.k) lost = SaturatingAdd(lost, window.lost);
    if (window.k == complete.k && complete.complete_through < window.end) {
      found.push_back(fmt::format("its completeThrough is {}, its window {} ends at {}",
                                  through,
                                  window.k.value(),
                                  FormatIso(window.end)));
    }
    if (window.k > complete.k && window.min_ts && *window.min_ts < complete.complete_through) {
      found.push_back(
          fmt::format("it says complete through {} with window {}, but window {} holds "
                      "a record of {}",
                      through,
                      complete.k.value(),
                      window.k.value(),
                      FormatIso(*window.min_ts)));
    }
  }
  if (complete.lost > lost) {
    found.push_back(fmt::format("it counts {} lost offsets, the manifests up to window {} name {}",
                                complete.lost,
                                complete.k.value(),
                                lost));
  }
  return found;
}

}  // namespace tidemark::verify

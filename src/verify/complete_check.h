#pragma once
// `complete.json` held against the manifests. Pure.

#include <string>
#include <vector>

#include "format/manifest.h"

namespace tidemark::verify {

// Enter every readable manifest of a queue, ascending by k. Keeps 40 bytes a window.
class CompleteCheck {
 public:
  void Enter(const format::Manifest& manifest);

  // What the file says and the manifests do not bear out, a sentence each: it ends before its own
  // window does; a record of a later window is older than it; it counts losses no window names.
  // Fewer losses are no fault: a file that began late does not know the older ones.
  std::vector<std::string> Contradictions(const format::Complete& complete) const;

 private:
  struct Known {
    format::WindowNumber k;
    Micros end;
    std::optional<Micros> min_ts;
    std::int64_t lost = 0;  // offsets
  };

  std::vector<Known> windows_;
};

}  // namespace tidemark::verify

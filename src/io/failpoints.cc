#include "io/failpoints.h"

#include <cstdlib>

namespace tidemark::io {

void HitFailpoint(Failpoint armed, Failpoint here) {
  if (armed == here && here != Failpoint::kNever) [[unlikely]]
    std::abort();
}

}  // namespace tidemark::io

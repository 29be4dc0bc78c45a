#include "io/clock.h"

#include <ctime>

namespace tidemark::io {

Micros SystemClock::Now() const {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return Micros(now.tv_sec * kMicrosPerSecond + now.tv_nsec / 1000);
}

}  // namespace tidemark::io

#include "edge/clock_state.h"

#include <sys/timex.h>

namespace tidemark::edge {

bool KernelSaysSynced(int answer, int status) {
  return answer >= 0 && answer != TIME_ERROR && (status & STA_UNSYNC) == 0;
}

std::function<bool()> ClockSynced(const std::string& mode) {
  if (mode == "true") return [] { return true; };
  if (mode == "false") return [] { return false; };
  return [] {
    timex state{};
    const int answer = ntp_adjtime(&state);
    return KernelSaysSynced(answer, state.status);
  };
}

}  // namespace tidemark::edge

#pragma once
// Whether the machine's clock is disciplined (pipeline file: `clock.synced`).

#include <functional>
#include <string>

namespace tidemark::edge {

// `auto` asks the kernel each time it is called; `true` and `false` answer themselves.
std::function<bool()> ClockSynced(const std::string& mode);

// Of the answer and the `status` of adjtimex(2).
bool KernelSaysSynced(int answer, int status);

}  // namespace tidemark::edge

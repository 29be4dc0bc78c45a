#pragma once
// What this process has used of the processors.

#include <sys/resource.h>

namespace tidemark::test {

// Seconds so far, of all threads, in user mode and in the kernel.
inline double CpuSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace tidemark::test

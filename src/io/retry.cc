#include "io/retry.h"

#include <algorithm>

namespace tidemark::io {

Duration WaitAfter(const Backoff& backoff, int attempt, const Error& error, Random& random) {
  if (error.retry_after_ms >= 0) return std::chrono::milliseconds(error.retry_after_ms);
  const int doublings = std::min(attempt - 1, 30);
  const Duration step = std::min(backoff.first * (std::int64_t{1} << doublings), backoff.most);
  const double factor = random.Uniform(backoff.jitter_low, backoff.jitter_high);
  return Duration(static_cast<Duration::rep>(static_cast<double>(step.count()) * factor));
}

}  // namespace tidemark::io

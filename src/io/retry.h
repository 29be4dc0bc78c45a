#pragma once
// Waiting between attempts; the one place that computes it.

#include <cstdint>

#include "base/result.h"
#include "io/loop.h"
#include "io/random.h"

namespace tidemark::io {

// Wait before attempt n+1: min(first * 2^(n-1), most) times a uniform factor in [jitter_low,
// jitter_high).
struct Backoff {
  Duration first = std::chrono::seconds(1);
  Duration most = std::chrono::seconds(60);
  double jitter_low = 0.75;
  double jitter_high = 1.25;
};

// After `attempt` (1 = the first) failed with `error`. A Retry-After is taken exactly
// (queen-interface 5.4).
Duration WaitAfter(const Backoff& backoff, int attempt, const Error& error, Random& random);

}  // namespace tidemark::io

#pragma once
// How much of something there was a second, over the last ten minutes. Pure.

#include <array>
#include <cstdint>

#include "base/time.h"

namespace tidemark::lake {

// Whole minutes are kept, so a rate is over nine to ten of them.
class RateWindow {
 public:
  static constexpr std::int64_t kMinutes = 10;

  void Add(Micros now, std::int64_t amount);

  // Per second; over the time since `since` where that is shorter, over a second at least.
  double PerSecond(Micros now, Micros since) const;

 private:
  struct Minute {
    std::int64_t number = -1;  // since the epoch
    std::int64_t amount = 0;
  };

  std::array<Minute, kMinutes> minutes_;
};

}  // namespace tidemark::lake

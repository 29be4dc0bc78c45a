#include "io/ticks.h"

#include <algorithm>
#include <utility>

namespace tidemark::io {

namespace {

Duration RoundedUp(Duration at, Duration grain) {
  return grain > Duration(0) ? (at + grain - Duration(1)) / grain * grain : at;
}

}  // namespace

Task<bool> Ticks::Next(std::stop_token stop) {
  const Duration now = loop_.Now();
  const Duration from = next_ + interval_ < now ? now : next_;
  next_ = RoundedUp(from + interval_, grain_);
  co_return co_await Sleep(loop_, std::max(next_ - now, Duration(0)), std::move(stop));
}

}  // namespace tidemark::io

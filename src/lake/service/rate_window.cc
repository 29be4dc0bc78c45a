#include "lake/service/rate_window.h"

#include <algorithm>

namespace tidemark::lake {

namespace {

constexpr std::int64_t kMinute = 60 * kMicrosPerSecond;

std::int64_t MinuteOf(Micros t) { return t.value() / kMinute; }

}  // namespace

void RateWindow::Add(Micros now, std::int64_t amount) {
  const std::int64_t number = MinuteOf(now);
  Minute& minute = minutes_[static_cast<std::size_t>(number % kMinutes)];
  if (minute.number != number) minute = {.number = number, .amount = 0};
  minute.amount += amount;
}

double RateWindow::PerSecond(Micros now, Micros since) const {
  const std::int64_t oldest = MinuteOf(now) - kMinutes + 1;
  std::int64_t sum = 0;
  for (const Minute& minute : minutes_) {
    if (minute.number >= oldest) sum += minute.amount;
  }
  const Micros from = std::max(since, Micros(oldest * kMinute));
  return static_cast<double>(sum) /
         std::max(static_cast<double>(now - from) / kMicrosPerSecond, 1.0);
}

}  // namespace tidemark::lake

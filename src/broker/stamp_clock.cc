#include "broker/stamp_clock.h"

#include <algorithm>

#include "base/check.h"

namespace tidemark::broker {

StampClock::StampClock(const io::Clock& clock, Micros floor, std::int64_t lag)
    : clock_(clock), lag_(lag), answered_(floor), last_stamp_(floor), ceiling_(floor) {
  TIDEMARK_CHECK(lag >= 0, "lag of {} us", lag);
}

Micros StampClock::Stamp() {
  const std::lock_guard lock(mutex_);
  last_stamp_ = std::max({clock_.Now(), last_stamp_, answered_});
  if (!pending_) pending_ = last_stamp_;
  return last_stamp_;
}

void StampClock::Published(std::optional<Micros> ceiling) {
  const std::lock_guard lock(mutex_);
  pending_.reset();
  if (ceiling) ceiling_ = std::max(ceiling_, *ceiling);
}

std::optional<Micros> StampClock::SafeTime() {
  const std::lock_guard lock(mutex_);
  Micros safe = std::max(answered_, clock_.Now() - lag_);
  if (pending_) safe = std::min(safe, *pending_);
  if (safe > ceiling_ || closed_) return std::nullopt;
  TIDEMARK_CHECK(safe >= answered_, "safe time {} after {}", safe.value(), answered_.value());
  answered_ = safe;
  return safe;
}

Micros StampClock::WantedFloor(bool reserve) const {
  const std::lock_guard lock(mutex_);
  const Micros floor = std::max({ceiling_, last_stamp_, answered_});
  return reserve ? std::max(floor, clock_.Now() - lag_ + kReserve) : floor;
}

Micros StampClock::Close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  return std::max(last_stamp_, answered_);
}

}  // namespace tidemark::broker

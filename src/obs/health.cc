#include "obs/health.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "format/json_text.h"

namespace tidemark::obs {

Health::Health(const io::Clock& clock, std::int64_t max_window_ms)
    : clock_(clock), limit_ms_(std::max<std::int64_t>(3 * max_window_ms, 30'000)) {}

void Health::Track(std::string_view queue) {
  const std::lock_guard lock(mutex_);
  queues_.try_emplace(std::string(queue));
}

void Health::Begin(std::string_view queue) {
  const std::lock_guard lock(mutex_);
  Progress& progress = queues_[std::string(queue)];
  if (progress.seen_at == kMinusInfinity) progress.seen_at = clock_.Now();
}

void Health::Report(std::string_view queue, Micros complete_through, Micros guarded_safe_time) {
  const std::lock_guard lock(mutex_);
  Progress& progress = queues_[std::string(queue)];
  const bool moved = complete_through > progress.complete_through;
  if (!moved && complete_through < guarded_safe_time) return;
  progress.complete_through = std::max(progress.complete_through, complete_through);
  progress.seen_at = std::max(progress.seen_at, clock_.Now());
}

void Health::Forget(std::string_view queue) {
  const std::lock_guard lock(mutex_);
  const auto found = queues_.find(queue);
  if (found != queues_.end()) queues_.erase(found);
}

std::vector<Stale> Health::StaleQueues() const {
  const std::lock_guard lock(mutex_);
  const Micros now = clock_.Now();
  std::vector<Stale> stale;
  for (const auto& [queue, progress] : queues_) {
    if (progress.seen_at == kMinusInfinity) continue;
    const std::int64_t stale_ms = (now - progress.seen_at) / kMicrosPerMilli;
    if (stale_ms <= limit_ms_) continue;
    stale.push_back({.queue = queue, .stale_ms = stale_ms, .limit_ms = limit_ms_});
  }
  return stale;
}

HealthAnswer Health::Check() const {
  const auto stale = StaleQueues();
  const std::lock_guard lock(mutex_);
  if (stale.empty()) {
    return {.status = 200, .body = fmt::format(R"({{"ok":true,"queues":{}}})", queues_.size())};
  }
  std::string name;
  format::AppendJsonString(stale.front().queue, name);
  return {.status = 503,
          .body = fmt::format(R"({{"ok":false,"queue":{},"staleMs":{},"limitMs":{}}})",
                              name,
                              stale.front().stale_ms,
                              stale.front().limit_ms)};
}

}  // namespace tidemark::obs

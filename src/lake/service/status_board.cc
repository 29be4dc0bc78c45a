#include "lake/service/status_board.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lake/engine/lost_ranges.h"

namespace tidemark::lake {

StatusBoard::StatusBoard(const io::Clock& clock, const obs::Health& health, BoardOptions options)
    : clock_(clock), health_(health), options_(std::move(options)), started_at_(clock.Now()) {}

StatusBoard::Queue& StatusBoard::At(const std::string& queue) {
  const auto [entry, is_new] = queues_.try_emplace(queue);
  if (is_new) entry->second.status.queue = queue;
  return entry->second;
}

void StatusBoard::OnTracked(const std::string& queue) {
  const std::lock_guard lock(mutex_);
  At(queue);
}

void StatusBoard::OnProgress(const std::string& queue,
                             const SinkProgress& progress,
                             double lag_seconds) {
  const std::lock_guard lock(mutex_);
  newest_safe_time_ = std::max(newest_safe_time_, progress.newest_safe_time);
  QueueStatus& status = At(queue).status;
  status.state = QueueState::kServing;
  status.owner = options_.instance;
  status.reason.clear();
  status.committed_k = progress.committed_k;
  status.complete_through = std::max(status.complete_through, progress.complete_through);
  status.lag_seconds = lag_seconds;
  status.partitions = progress.lanes;
  status.buffered_bytes = progress.buffered_bytes + progress.committing_bytes;
}

void StatusBoard::OnCommitted(const std::string& queue, const format::Manifest& manifest) {
  const WindowStatus window{.k = manifest.window.k.value(),
                            .end = manifest.window.end,
                            .records = manifest.records,
                            .bytes = manifest.bytes,
                            .lost = OffsetsIn(manifest.lost)};
  const Micros now = clock_.Now();
  const std::lock_guard lock(mutex_);
  Queue& entry = At(queue);
  entry.records.Add(now, window.records);
  entry.bytes.Add(now, window.bytes);
  QueueStatus& status = entry.status;
  status.committed_k = window.k;
  status.complete_through = std::max(status.complete_through, window.end);
  status.lost += window.lost;
  status.windows.insert(status.windows.begin(), window);
  if (status.windows.size() > kWindowsKept) status.windows.pop_back();
}

void StatusBoard::OnFault(const std::string& queue, std::string_view what, const Error& error) {
  const Micros now = clock_.Now();
  const std::lock_guard lock(mutex_);
  QueueStatus& status = At(queue).status;
  status.last_fault = fmt::format("{}: {}", what, error.message);
  status.last_fault_at = now;
}

void StatusBoard::OnHeldByOther(const std::string& queue, std::string_view holder) {
  const std::lock_guard lock(mutex_);
  QueueStatus& status = At(queue).status;
  status.state = QueueState::kWaiting;
  status.owner = holder;
  status.buffered_bytes = 0;
}

void StatusBoard::OnStopped(const std::string& queue, std::string_view reason) {
  const std::lock_guard lock(mutex_);
  QueueStatus& status = At(queue).status;
  status.state = QueueState::kStopped;
  status.owner.clear();
  status.reason = reason;
  status.buffered_bytes = 0;
}

LakeStatus StatusBoard::Snapshot() const {
  LakeStatus lake{.version = options_.version,
                  .sink = options_.sink,
                  .instance = options_.instance,
                  .bucket = options_.bucket,
                  .now = clock_.Now(),
                  .started_at = started_at_,
                  .newest_safe_time = kMinusInfinity,
                  .memory_bytes = options_.memory_bytes,
                  .queues = {}};
  const auto all_stale = health_.StaleQueues();
  const std::lock_guard lock(mutex_);
  lake.newest_safe_time = newest_safe_time_;
  lake.queues.reserve(queues_.size());
  for (const auto& [name, entry] : queues_) {
    QueueStatus& status = lake.queues.emplace_back(entry.status);
    status.records_per_second = entry.records.PerSecond(lake.now, started_at_);
    status.bytes_per_second = entry.bytes.PerSecond(lake.now, started_at_);
    const auto stale = std::ranges::find(all_stale, name, &obs::Stale::queue);
    if (stale != all_stale.end()) status.stale = *stale;
  }
  return lake;
}

}  // namespace tidemark::lake

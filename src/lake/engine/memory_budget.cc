#include "lake/engine/memory_budget.h"

#include <algorithm>

namespace tidemark::lake {

Reservation::~Reservation() { Resize(0); }

void Reservation::Resize(std::int64_t bytes) {
  if (budget_ == nullptr) return;
  budget_->used_ += bytes - bytes_;
  if (for_buffers_) budget_->buffers_ += bytes - bytes_;
  bytes_ = bytes;
}

std::int64_t MemoryBudget::Room(std::int64_t keep_free) const {
  return limit_ - used_ - std::max<std::int64_t>(keep_free - buffers_, 0);
}

std::optional<Reservation> MemoryBudget::TryReserve(std::int64_t bytes, std::int64_t keep_free) {
  if (bytes > Room(keep_free)) return std::nullopt;
  return ReserveAnyway(bytes);
}

std::optional<Reservation> MemoryBudget::TryReserveBuffers(std::int64_t bytes) {
  if (bytes > Room(0) && buffers_ > 0) return std::nullopt;
  Reservation share(*this, /*for_buffers=*/true);
  share.Resize(bytes);
  return share;
}

Reservation MemoryBudget::ReserveAnyway(std::int64_t bytes) {
  Reservation share(*this, /*for_buffers=*/false);
  share.Resize(bytes);
  return share;
}

}  // namespace tidemark::lake

#include "lake/engine/memory_budget.h"

namespace tidemark::lake {

Reservation::~Reservation() { Resize(0); }

void Reservation::Resize(std::int64_t bytes) {
  if (budget_ == nullptr) return;
  budget_->used_ += bytes - bytes_;
  bytes_ = bytes;
}

std::optional<Reservation> MemoryBudget::TryReserve(std::int64_t bytes, std::int64_t keep_free) {
  if (used_ + bytes + keep_free > limit_) return std::nullopt;
  return ReserveAnyway(bytes);
}

Reservation MemoryBudget::ReserveAnyway(std::int64_t bytes) {
  used_ += bytes;
  return Reservation(*this, bytes);
}

}  // namespace tidemark::lake

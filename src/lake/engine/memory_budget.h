#pragma once
// The process-wide memory budget (QUEEN_S3_MEMORY_MB): answers and object buffers are reserved from
// it before they are asked for. Arithmetic only; single-threaded but for the release of a
// reservation, which may happen on any thread.

#include <atomic>
#include <cstdint>
#include <optional>
#include <utility>

namespace tidemark::lake {

class MemoryBudget;

// A share of the budget; gives itself back. The budget outlives it.
class Reservation {
 public:
  Reservation() = default;

  Reservation(Reservation&& other) noexcept
      : budget_(std::exchange(other.budget_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

  Reservation& operator=(Reservation&& other) noexcept {
    std::swap(budget_, other.budget_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }

  ~Reservation();

  std::int64_t bytes() const { return bytes_; }

  // Changes the share to what is really held; growing is allowed and may exceed the limit.
  void Resize(std::int64_t bytes);

 private:
  friend class MemoryBudget;

  Reservation(MemoryBudget& budget, std::int64_t bytes) : budget_(&budget), bytes_(bytes) {}

  MemoryBudget* budget_ = nullptr;
  std::int64_t bytes_ = 0;
};

class MemoryBudget {
 public:
  explicit MemoryBudget(std::int64_t limit_bytes) : limit_(limit_bytes) {}

  std::int64_t limit() const { return limit_; }

  std::int64_t used() const { return used_; }

  std::int64_t room() const { return limit_ - used_; }

  // nullopt when the share, and `keep_free` more for others, would not fit.
  std::optional<Reservation> TryReserve(std::int64_t bytes, std::int64_t keep_free);
  // For memory that must be held whatever the limit says.
  Reservation ReserveAnyway(std::int64_t bytes);

 private:
  friend class Reservation;

  const std::int64_t limit_;
  std::atomic<std::int64_t> used_ = 0;
};

}  // namespace tidemark::lake

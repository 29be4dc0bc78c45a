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
      : budget_(std::exchange(other.budget_, nullptr)),
        bytes_(std::exchange(other.bytes_, 0)),
        for_buffers_(other.for_buffers_) {}

  Reservation& operator=(Reservation&& other) noexcept {
    std::swap(budget_, other.budget_);
    std::swap(bytes_, other.bytes_);
    std::swap(for_buffers_, other.for_buffers_);
    return *this;
  }

  ~Reservation();

  std::int64_t bytes() const { return bytes_; }

  // Changes the share to what is really held; growing is allowed and may exceed the limit.
  void Resize(std::int64_t bytes);

 private:
  friend class MemoryBudget;

  Reservation(MemoryBudget& budget, bool for_buffers)
      : budget_(&budget), for_buffers_(for_buffers) {}

  MemoryBudget* budget_ = nullptr;
  std::int64_t bytes_ = 0;
  bool for_buffers_ = false;
};

class MemoryBudget {
 public:
  explicit MemoryBudget(std::int64_t limit_bytes) : limit_(limit_bytes) {}

  std::int64_t limit() const { return limit_; }

  std::int64_t used() const { return used_; }

  // Of used(): what answers hold, or may once they are there.
  std::int64_t answers() const { return used_ - buffers_; }

  // What answers may still take when `keep_free` bytes are for object buffers, held or to come.
  std::int64_t Room(std::int64_t keep_free) const;

  // A share for an answer; nullopt when it is larger than Room(keep_free).
  std::optional<Reservation> TryReserve(std::int64_t bytes, std::int64_t keep_free);
  // A share for the object buffers of a commit. nullopt when it does not fit; but one commit at a
  // time may always go on, since what answers hold is freed by commits alone.
  std::optional<Reservation> TryReserveBuffers(std::int64_t bytes);
  // For memory that must be held whatever the limit says.
  Reservation ReserveAnyway(std::int64_t bytes);

 private:
  friend class Reservation;

  const std::int64_t limit_;
  std::atomic<std::int64_t> used_ = 0;
  std::atomic<std::int64_t> buffers_ = 0;  // of used_
};

}  // namespace tidemark::lake

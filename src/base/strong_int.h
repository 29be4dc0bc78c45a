#pragma once
// Integers that must not be mixed: an offset is not a timestamp is not a window number.

#include <compare>
#include <cstdint>
#include <functional>

namespace tidemark {

template <typename Tag>
class StrongInt {
 public:
  constexpr StrongInt() = default;

  constexpr explicit StrongInt(std::int64_t value) : value_(value) {}

  constexpr std::int64_t value() const { return value_; }

  constexpr auto operator<=>(const StrongInt&) const = default;

  constexpr StrongInt operator+(std::int64_t n) const { return StrongInt(value_ + n); }

  constexpr StrongInt operator-(std::int64_t n) const { return StrongInt(value_ - n); }

  constexpr std::int64_t operator-(StrongInt other) const { return value_ - other.value_; }

  constexpr StrongInt& operator++() {
    ++value_;
    return *this;
  }

 private:
  std::int64_t value_ = 0;
};

// Position of a record in its partition's log; the first is 0.
using Offset = StrongInt<struct OffsetTag>;

// Position of a record in the write-ahead log of an edge; the first is 1, 0 means "nothing yet".
using Position = StrongInt<struct PositionTag>;

// Incarnation of a write-ahead log: the microsecond it was made in, or more; 0 means "none".
using Epoch = StrongInt<struct EpochTag>;

}  // namespace tidemark

template <typename Tag>
struct std::hash<tidemark::StrongInt<Tag>> {
  std::size_t operator()(tidemark::StrongInt<Tag> v) const {
    return std::hash<std::int64_t>{}(v.value());
  }
};

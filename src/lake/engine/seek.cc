#include "lake/engine/seek.h"

#include <algorithm>
#include <bit>

namespace tidemark::lake {

namespace {

constexpr std::int64_t kProbesSlack = 8;

std::int64_t ProbesMax(std::int64_t offsets) {
  const auto span = static_cast<std::uint64_t>(std::max<std::int64_t>(offsets, 1));
  return 2 * static_cast<std::int64_t>(std::bit_width(span)) + kProbesSlack;
}

}  // namespace

Seek::Seek(Micros t, Offset log_start, Offset last)
    : t_(t),
      log_start_(log_start),
      below_(log_start - 1),
      at_(std::max(last + 1, log_start)),
      head_(at_),
      probes_max_(ProbesMax(last + 1 - log_start)) {}

std::optional<Offset> Seek::answer() const {
  if (t_ == kMinusInfinity || at_ <= log_start_) return log_start_;
  if (below_ + 1 >= at_) return at_;
  return std::nullopt;
}

Offset Seek::probe() const {
  if (bracketed_) return below_ + (at_ - below_) / 2;
  return std::min(std::max(log_start_, head_ - step_), at_ - 1);
}

void Seek::OnRecords(std::span<const queen::RecordSlice> records) {
  ++probes_;
  for (const auto& record : records) {
    if (record.ts < t_) {
      below_ = std::max(below_, record.offset);
      bracketed_ = true;
    } else {
      at_ = std::min(at_, record.offset);
      seen_ = true;
      break;
    }
  }
  step_ *= 2;
}

void Seek::OnNothing() { ++probes_; }

void Seek::OnBounds(Offset log_start, Offset high_watermark) {
  ++probes_;
  log_start_ = std::max(log_start_, log_start);
  below_ = std::max(below_, log_start_ - 1);
  head_ = std::max(std::min(head_, high_watermark), log_start_);
  at_ = std::max(std::min(at_, head_), log_start_);
}

}  // namespace tidemark::lake

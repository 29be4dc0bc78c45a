#include "edge/dataset/time_text.h"

#include <chrono>

namespace tidemark::edge {

namespace {

constexpr std::int64_t kNanosPerSecond = 1'000'000'000;
constexpr std::int64_t kSecondsPerDay = 86'400;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// A cursor; after a failure every read fails.
class TimeReader {
 public:
  explicit TimeReader(std::string_view text) : rest_(text) {}

  int Digits(std::size_t count, int max) {
    int value = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (rest_.empty() || !IsDigit(rest_.front())) return Bad();
      value = value * 10 + (rest_.front() - '0');
      rest_.remove_prefix(1);
    }
    return value <= max ? value : Bad();
  }

  // One of the characters; which one it was.
  char One(std::string_view characters) {
    if (rest_.empty() || !characters.contains(rest_.front())) {
      Bad();
      return '\0';
    }
    const char taken = rest_.front();
    rest_.remove_prefix(1);
    return taken;
  }

  bool Next(char c) const { return rest_.starts_with(c); }

  // At least one digit, as nanoseconds; `exact` becomes false when digits beyond are not zero.
  std::int64_t Fraction(bool& exact) {
    constexpr int kNanoDigits = 9;
    std::int64_t nanos = 0;
    int digits = 0;
    for (; !rest_.empty() && IsDigit(rest_.front()); rest_.remove_prefix(1), ++digits) {
      if (digits < kNanoDigits) nanos = nanos * 10 + (rest_.front() - '0');
      if (digits >= kNanoDigits && rest_.front() != '0') exact = false;
    }
    if (digits == 0) Bad();
    for (; digits < kNanoDigits; ++digits) nanos *= 10;
    return nanos;
  }

  bool Complete() const { return ok_ && rest_.empty(); }

  bool ok() const { return ok_; }

 private:
  int Bad() {
    ok_ = false;
    rest_ = {};
    return 0;
  }

  std::string_view rest_;
  bool ok_ = true;
};

// Days since the epoch; nullopt when there is no such day.
std::optional<std::int64_t> ReadDay(TimeReader& reader) {
  const int year = reader.Digits(4, 9999);
  reader.One("-");
  const int month = reader.Digits(2, 12);
  reader.One("-");
  const int day = reader.Digits(2, 31);
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!reader.ok() || !date.ok()) return std::nullopt;
  return std::chrono::sys_days(date).time_since_epoch().count();
}

// Seconds that the offset is ahead of UTC.
std::int64_t ReadOffset(TimeReader& reader) {
  const char sign = reader.One("Zz+-");
  if (sign == 'Z' || sign == 'z') return 0;
  const int hours = reader.Digits(2, 23);
  reader.One(":");
  const int minutes = reader.Digits(2, 59);
  const std::int64_t seconds = hours * 3600 + minutes * 60;
  return sign == '-' ? -seconds : seconds;
}

}  // namespace

std::optional<Instant> ParseRfc3339(std::string_view text) {
  TimeReader reader(text);
  const auto day = ReadDay(reader);
  if (!day) return std::nullopt;
  reader.One("Tt ");
  std::int64_t seconds = *day * kSecondsPerDay + reader.Digits(2, 23) * 3600;
  reader.One(":");
  seconds += reader.Digits(2, 59) * 60;
  reader.One(":");
  seconds += reader.Digits(2, 59);
  Instant instant;
  std::int64_t nanos = 0;
  if (reader.Next('.')) {
    reader.One(".");
    nanos = reader.Fraction(instant.exact);
  }
  seconds -= ReadOffset(reader);
  if (!reader.Complete()) return std::nullopt;
  instant.nanos = Int128{seconds} * kNanosPerSecond + nanos;
  return instant;
}

std::optional<Instant> ParseEpoch(std::string_view number, TimeFormat format) {
  int scale = 0;
  switch (format) {
    case TimeFormat::kEpochSeconds:
      scale = 9;
      break;
    case TimeFormat::kEpochMillis:
      scale = 6;
      break;
    case TimeFormat::kEpochMicros:
      scale = 3;
      break;
    case TimeFormat::kEpochNanos:
      break;
    case TimeFormat::kRfc3339:
      return std::nullopt;
  }
  const auto floored = FlooredInteger(number, scale);
  if (!floored) return std::nullopt;
  return Instant{.nanos = floored->value, .exact = floored->exact};
}

std::optional<std::int32_t> ParseDate(std::string_view text) {
  TimeReader reader(text);
  const auto day = ReadDay(reader);
  if (!day || !reader.Complete()) return std::nullopt;
  return static_cast<std::int32_t>(*day);
}

std::optional<std::int64_t> InUnits(const Instant& instant, std::int64_t unit_nanos, bool& exact) {
  Int128 units = instant.nanos / unit_nanos;
  const Int128 rest = instant.nanos % unit_nanos;
  if (rest < 0) --units;
  exact = exact && instant.exact && rest == 0;
  if (units < INT64_MIN || units > INT64_MAX) return std::nullopt;
  return static_cast<std::int64_t>(units);
}

}  // namespace tidemark::edge

#include "edge/dataset/time_text.h"

#include <algorithm>
#include <chrono>

#include "edge/dataset/byte_words.h"

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

// Eight bytes in which every place that `digits` marks with 0x0f is a digit, and the others are
// those of `rest`: each pair of neighbouring digits as a number, at the place of the first.
bool ReadPairs(const char* at, std::uint64_t digits, std::uint64_t rest, std::uint64_t& pairs) {
  const std::uint64_t word = words::Load(at);
  const std::uint64_t mask = digits * 0x11;  // 0xff for each
  const bool valid = (words::MaskOfOthersThanDigits(word) & mask) == 0 && (word & ~mask) == rest;
  const std::uint64_t values = word & digits;
  pairs = values * 10 + (values >> 8);
  return valid;
}

constexpr int ByteOf(std::uint64_t word, int place) {
  return static_cast<int>(word >> (8 * place) & 0xff);
}

}  // namespace

std::optional<std::int64_t> PlainUtcNanos(std::string_view text) {
  constexpr std::size_t kPoint = 19;
  constexpr std::size_t kFractionMax = 8;
  const std::size_t zone = text.size() - 1;
  if (text.size() <= kPoint || zone > kPoint + 1 + kFractionMax || text[zone] != 'Z') {
    return std::nullopt;
  }
  // "YYYY-MM-", "DDTHH:MM", "HH:MM:SS": the last overlaps, to end with the seconds.
  const char* const at = text.data();
  std::uint64_t date_pairs = 0;
  std::uint64_t hour_pairs = 0;
  std::uint64_t second_pairs = 0;
  if (!ReadPairs(at, 0x000f0f000f0f0f0f, 0x2d00002d00000000, date_pairs) ||
      !ReadPairs(at + 8, 0x0f0f000f0f000f0f, 0x00003a0000540000, hour_pairs) ||
      !ReadPairs(at + 11, 0x0f0f000f0f000f0f, 0x00003a00003a0000, second_pairs)) {
    return std::nullopt;
  }
  const int year = ByteOf(date_pairs, 0) * 100 + ByteOf(date_pairs, 2);
  const std::chrono::year_month_day date{
      std::chrono::year(year),
      std::chrono::month(static_cast<unsigned>(ByteOf(date_pairs, 5))),
      std::chrono::day(static_cast<unsigned>(ByteOf(hour_pairs, 0)))};
  const int hour = ByteOf(second_pairs, 0);
  const int minute = ByteOf(second_pairs, 3);
  const int second = ByteOf(second_pairs, 6);
  // Of the years before and after, 64 bits hold a part.
  if (year < 1678 || year > 2261) return std::nullopt;
  if (!date.ok() || hour > 23 || minute > 59 || second > 59) return std::nullopt;
  const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  const std::int64_t seconds = days * kSecondsPerDay + hour * 3600 + minute * 60 + second;
  const std::int64_t nanos = seconds * kNanosPerSecond;
  if (zone == kPoint) return nanos;
  constexpr std::int64_t kUnits[] = {
      0, 100'000'000, 10'000'000, 1'000'000, 100'000, 10'000, 1'000, 100, 10};
  const std::size_t digits = zone - kPoint - 1;
  // The word may begin before the fraction: so it ends within the text.
  const std::uint64_t word = words::Load(text.data() + zone - words::kBytes) >>
                             (8 * (words::kBytes - std::max<std::size_t>(digits, 1)));
  if (digits == 0 || text[kPoint] != '.') return std::nullopt;
  if (words::First(words::MaskOfOthersThanDigits(word)) < digits) return std::nullopt;
  return nanos + static_cast<std::int64_t>(words::DigitsOf(word, digits)) * kUnits[digits];
}

std::optional<Instant> ParseRfc3339(std::string_view text) {
  if (const auto nanos = PlainUtcNanos(text)) return Instant{.nanos = *nanos};
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
  // Of 64 bits, which all times from 1677 to 2262 fit, division is quick; by a constant it is a
  // multiplication.
  if (instant.nanos >= INT64_MIN && instant.nanos <= INT64_MAX) {
    const auto nanos = static_cast<std::int64_t>(instant.nanos);
    const std::int64_t units =
        unit_nanos == kNanosPerMicro ? nanos / kNanosPerMicro : nanos / unit_nanos;
    const std::int64_t rest = nanos - units * unit_nanos;
    exact = exact && instant.exact && rest == 0;
    return units - (rest < 0 ? 1 : 0);
  }
  Int128 units = instant.nanos / unit_nanos;
  const Int128 rest = instant.nanos % unit_nanos;
  if (rest < 0) --units;
  exact = exact && instant.exact && rest == 0;
  if (units < INT64_MIN || units > INT64_MAX) return std::nullopt;
  return static_cast<std::int64_t>(units);
}

}  // namespace tidemark::edge

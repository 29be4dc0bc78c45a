#include "base/time.h"

#include <fmt/format.h>

#include <array>
#include <chrono>

namespace tidemark {

namespace {

// A cursor over the text; every read either consumes what it names or fails for good.
class IsoReader {
 public:
  explicit IsoReader(std::string_view text) : rest_(text) {}

  int Digits(std::size_t count) {
    int value = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (!StartsWithDigit()) {
        failed_ = true;
        return 0;
      }
      value = value * 10 + (rest_.front() - '0');
      rest_.remove_prefix(1);
    }
    return value;
  }

  void Literal(char c) {
    if (!Take(c)) failed_ = true;
  }

  bool Take(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  // One to six digits, scaled to microseconds.
  int Fraction() {
    int value = 0;
    int digits = 0;
    for (; digits < 6 && StartsWithDigit(); ++digits) value = value * 10 + Digits(1);
    if (digits == 0) failed_ = true;
    for (; digits < 6; ++digits) value *= 10;
    return value;
  }

  bool Complete() const { return !failed_ && rest_.empty(); }

 private:
  bool StartsWithDigit() const {
    return !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9';
  }

  std::string_view rest_;
  bool failed_ = false;
};

void PutDigits(char* at, int count, std::int64_t value) {
  for (int i = count - 1; i >= 0; --i) {
    at[i] = static_cast<char>('0' + value % 10);
    value /= 10;
  }
}

std::chrono::year_month_day CalendarDay(Micros t) {
  const auto days = std::chrono::days(FloorTo(t, kMicrosPerDay).value() / kMicrosPerDay);
  return std::chrono::year_month_day(std::chrono::sys_days(days));
}

}  // namespace

void AppendIso(Micros t, std::string& out) {
  const auto day = CalendarDay(t);
  const std::int64_t in_day = t - FloorTo(t, kMicrosPerDay);
  const std::int64_t seconds = in_day / kMicrosPerSecond;
  std::array<char, 27> text{};
  for (auto [at, c] :
       {std::pair{4, '-'}, {7, '-'}, {10, 'T'}, {13, ':'}, {16, ':'}, {19, '.'}, {26, 'Z'}}) {
    text[static_cast<std::size_t>(at)] = c;
  }
  PutDigits(text.data(), 4, static_cast<int>(day.year()));
  PutDigits(text.data() + 5, 2, static_cast<unsigned>(day.month()));
  PutDigits(text.data() + 8, 2, static_cast<unsigned>(day.day()));
  PutDigits(text.data() + 11, 2, seconds / 3600);
  PutDigits(text.data() + 14, 2, seconds / 60 % 60);
  PutDigits(text.data() + 17, 2, seconds % 60);
  PutDigits(text.data() + 20, 6, in_day % kMicrosPerSecond);
  out.append(text.data(), text.size());
}

std::string FormatIso(Micros t) {
  std::string out;
  AppendIso(t, out);
  return out;
}

Result<Micros> ParseIso(std::string_view text) {
  IsoReader in(text);
  const auto year = std::chrono::year(in.Digits(4));
  in.Literal('-');
  const auto month = std::chrono::month(static_cast<unsigned>(in.Digits(2)));
  in.Literal('-');
  const std::chrono::year_month_day day{
      year, month, std::chrono::day(static_cast<unsigned>(in.Digits(2)))};
  in.Literal('T');
  const int hour = in.Digits(2);
  in.Literal(':');
  const int minute = in.Digits(2);
  in.Literal(':');
  const int second = in.Digits(2);
  const int fraction = in.Take('.') ? in.Fraction() : 0;
  in.Literal('Z');
  if (!in.Complete() || !day.ok() || hour > 23 || minute > 59 || second > 59) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("\"{}\" is not a UTC time like 2026-09-04T10:00:00.000000Z", text));
  }
  const std::int64_t days = std::chrono::sys_days(day).time_since_epoch().count();
  const std::int64_t seconds = (hour * 60 + minute) * 60 + second;
  return Micros(days * kMicrosPerDay + seconds * kMicrosPerSecond + fraction);
}

Micros FloorTo(Micros t, std::int64_t unit) {
  const std::int64_t rest = t.value() % unit;
  return Micros(t.value() - (rest < 0 ? rest + unit : rest));
}

Micros NextMultiple(Micros t, std::int64_t unit) { return FloorTo(t, unit) + unit; }

UtcDateHour DateHourOf(Micros t) {
  const auto day = CalendarDay(t);
  return {.year = static_cast<int>(day.year()),
          .month = static_cast<int>(static_cast<unsigned>(day.month())),
          .day = static_cast<int>(static_cast<unsigned>(day.day())),
          .hour = static_cast<int>((t - FloorTo(t, kMicrosPerDay)) / kMicrosPerHour)};
}

}  // namespace tidemark

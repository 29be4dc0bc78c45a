#include "edge/dataset/json_number.h"

#include <algorithm>
#include <charconv>
#include <limits>

namespace tidemark::edge {

namespace {

constexpr int kDigitsMax = 38;
// Exponents beyond are all the same: far too large, or far below any digit that counts.
constexpr std::int64_t kExponentMax = 1'000'000'000;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

std::size_t CountDigits(std::string_view text) {
  const auto end = std::ranges::find_if_not(text, IsDigit);
  return static_cast<std::size_t>(end - text.begin());
}

// A number in its parts: sign, digits around the point, exponent of ten.
struct Parts {
  bool negative = false;
  std::string_view whole;
  std::string_view fraction;
  std::int64_t exponent = 0;
};

bool Split(std::string_view text, Parts& parts) {
  if (text.starts_with('-')) {
    parts.negative = true;
    text.remove_prefix(1);
  }
  const std::size_t whole = CountDigits(text);
  if (whole == 0 || (whole > 1 && text.front() == '0')) return false;
  parts.whole = text.substr(0, whole);
  text.remove_prefix(whole);
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    const std::size_t fraction = CountDigits(text);
    if (fraction == 0) return false;
    parts.fraction = text.substr(0, fraction);
    text.remove_prefix(fraction);
  }
  if (text.empty()) return true;
  if (text.front() != 'e' && text.front() != 'E') return false;
  text.remove_prefix(1);
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (text.empty() || CountDigits(text) != text.size()) return false;
  for (const char c : text) {
    parts.exponent = std::min(parts.exponent * 10 + (c - '0'), kExponentMax);
  }
  if (negative) parts.exponent = -parts.exponent;
  return true;
}

char DigitAt(const Parts& parts, std::size_t i) {
  return i < parts.whole.size() ? parts.whole[i] : parts.fraction[i - parts.whole.size()];
}

// The digits without zeros at either end, as [begin, end) of whole and fraction together; the value
// is them times 10^exponent.
struct Significand {
  std::size_t begin;
  std::size_t end;
  std::int64_t exponent;
};

Significand SignificandOf(const Parts& parts) {
  const std::size_t count = parts.whole.size() + parts.fraction.size();
  Significand s{.begin = 0,
                .end = count,
                .exponent = parts.exponent - static_cast<std::int64_t>(parts.fraction.size())};
  while (s.begin < s.end && DigitAt(parts, s.begin) == '0') ++s.begin;
  for (; s.end > s.begin && DigitAt(parts, s.end - 1) == '0'; --s.end) ++s.exponent;
  return s;
}

// Digits around a point, and no exponent: the common case. The value is the digits divided by
// 10^scale.
struct Plain {
  bool negative = false;
  std::uint64_t digits = 0;
  std::size_t scale = 0;
};

// False: it is not so plain, or longer than what is sure to fit.
bool ReadPlain(std::string_view number, Plain& plain) {
  constexpr std::size_t kLengthMax = 19;
  if (number.starts_with('-')) {
    plain.negative = true;
    number.remove_prefix(1);
  }
  if (number.size() > kLengthMax) return false;
  const char* point = nullptr;
  for (const char& c : number) {
    const auto digit = static_cast<unsigned char>(c - '0');
    if (digit < 10) {
      plain.digits = plain.digits * 10 + digit;
    } else if (c == '.') {
      point = &c;
    } else {
      return false;
    }
  }
  if (point != nullptr) plain.scale = static_cast<std::size_t>(number.end() - point) - 1;
  return true;
}

std::optional<std::int64_t> PlainInteger(std::string_view number) {
  Plain plain;
  if (!ReadPlain(number, plain) || plain.scale > 0 || plain.digits > INT64_MAX) return std::nullopt;
  const auto value = static_cast<std::int64_t>(plain.digits);
  return plain.negative ? -value : value;
}

template <typename Float>
std::optional<Float> Nearest(std::string_view number) {
  Plain plain;
  if (ReadPlain(number, plain) && plain.digits <= kExactIntegers<Float> &&
      plain.scale < kExactPowers<Float>.size()) {
    const Float value = static_cast<Float>(plain.digits) / kExactPowers<Float>[plain.scale];
    return plain.negative ? -value : value;
  }
  Float value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (error == std::errc()) return value;
  Parts parts;
  Split(number, parts);
  const Significand s = SignificandOf(parts);
  const std::int64_t magnitude = s.exponent + static_cast<std::int64_t>(s.end - s.begin);
  if (magnitude > 0) return std::nullopt;
  return parts.negative ? Float{-0.0F} : Float{0};
}

}  // namespace

bool IsJsonNumber(std::string_view text) {
  Parts parts;
  return Split(text, parts);
}

std::optional<Floored> FlooredInteger(std::string_view number, int scale) {
  Parts parts;
  if (!Split(number, parts)) return std::nullopt;
  Significand s = SignificandOf(parts);
  if (s.begin == s.end) return Floored{};
  s.exponent += scale;
  const auto digits = static_cast<std::int64_t>(s.end - s.begin);
  if (digits + s.exponent > kDigitsMax) return std::nullopt;
  Floored result;
  // Digits that fall behind the point are not zero: the last one is not.
  result.exact = s.exponent >= 0;
  const std::int64_t kept =
      std::max<std::int64_t>(digits + std::min<std::int64_t>(s.exponent, 0), 0);
  for (std::int64_t i = 0; i < kept; ++i) {
    result.value =
        result.value * 10 + (DigitAt(parts, s.begin + static_cast<std::size_t>(i)) - '0');
  }
  for (std::int64_t i = 0; i < s.exponent; ++i) result.value *= 10;
  if (parts.negative) result.value = -result.value - (result.exact ? 0 : 1);
  return result;
}

std::optional<Int128> ScaledInteger(std::string_view number, int scale) {
  const auto floored = FlooredInteger(number, scale);
  if (!floored || !floored->exact) return std::nullopt;
  return floored->value;
}

std::optional<std::int64_t> SignedInteger(std::string_view number,
                                          std::int64_t min,
                                          std::int64_t max) {
  if (const auto plain = PlainInteger(number)) {
    return *plain >= min && *plain <= max ? plain : std::nullopt;
  }
  const auto value = ScaledInteger(number, 0);
  if (!value || *value < min || *value > max) return std::nullopt;
  return static_cast<std::int64_t>(*value);
}

std::optional<std::uint64_t> UnsignedInteger(std::string_view number, std::uint64_t max) {
  if (const auto plain = PlainInteger(number); plain && *plain >= 0) {
    const auto value = static_cast<std::uint64_t>(*plain);
    return value <= max ? std::optional(value) : std::nullopt;
  }
  const auto value = ScaledInteger(number, 0);
  if (!value || *value < 0 || *value > static_cast<Int128>(max)) return std::nullopt;
  return static_cast<std::uint64_t>(*value);
}

std::optional<float> NearestFloat(std::string_view number) { return Nearest<float>(number); }

std::optional<double> NearestDouble(std::string_view number) { return Nearest<double>(number); }

}  // namespace tidemark::edge

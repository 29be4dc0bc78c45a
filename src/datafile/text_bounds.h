#pragma once
// Least and greatest text of a column chunk, cut to the length that Parquet statistics may have.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tidemark::datafile {

inline constexpr std::size_t kStatisticsBytesMax = 64;

struct Bound {
  std::string text;
  bool exact = true;  // false: cut, so at or beyond every value, but maybe none of them
};

// The longest head of whole UTF-8 characters within the limit: at or below `value`.
Bound LowerBound(std::string_view value);

// Such a head with its last character raised by one code point of the same length, so that it is
// above every text that begins like `value`; characters that have no such successor are dropped
// first. nullopt when none has one.
std::optional<Bound> UpperBound(std::string_view value);

// Follows the least and greatest of many texts by bytes; holds no more of each than the bounds can
// show.
class TextBounds {
 public:
  void Add(std::string_view value);

  bool any() const { return any_; }

  Bound lower() const { return LowerBound(min_); }

  std::optional<Bound> upper() const { return UpperBound(max_); }

 private:
  std::string min_;
  std::string max_;
  bool any_ = false;
};

}  // namespace tidemark::datafile

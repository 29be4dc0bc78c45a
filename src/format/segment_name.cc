#include "format/segment_name.h"

#include <fmt/format.h>

#include <charconv>

namespace tidemark::format {

namespace {

constexpr std::string_view kSuffix = ".parquet";
constexpr std::size_t kEpochDigits = 16;
constexpr std::size_t kPositionDigits = 20;
constexpr std::size_t kNodeBytesMax = 64;

bool IsNode(std::string_view node) {
  constexpr std::string_view kAllowed =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
  return !node.empty() && node.size() <= kNodeBytesMax &&
         node.find_first_not_of(kAllowed) == std::string_view::npos;
}

// Takes `_` and `digits` digits off the end of `text`.
template <typename Number>
bool TakeNumber(std::string_view& text, std::size_t digits, int base, Number& value) {
  if (text.size() < digits + 1 || text[text.size() - digits - 1] != '_') return false;
  const std::string_view number = text.substr(text.size() - digits);
  if (number.find_first_not_of(base == 16 ? "0123456789abcdef" : "0123456789") !=
      std::string_view::npos) {
    return false;
  }
  const auto [end, error] =
      std::from_chars(number.data(), number.data() + number.size(), value, base);
  text.remove_suffix(digits + 1);
  return error == std::errc() && end == number.data() + number.size();
}

}  // namespace

std::string SegmentFileName(const SegmentName& name) {
  return fmt::format("{}_{:016x}_{:020}_{:020}{}",
                     name.node,
                     name.epoch.value(),
                     name.range.first.value(),
                     name.range.last.value(),
                     kSuffix);
}

Result<SegmentName> ParseSegmentFileName(std::string_view file_name) {
  std::string_view rest = file_name;
  SegmentName name;
  std::int64_t epoch = 0;
  std::int64_t first = 0;
  std::int64_t last = 0;
  bool fits = rest.ends_with(kSuffix);
  if (fits) rest.remove_suffix(kSuffix.size());
  fits = fits && TakeNumber(rest, kPositionDigits, 10, last) &&
         TakeNumber(rest, kPositionDigits, 10, first) &&
         TakeNumber(rest, kEpochDigits, 16, epoch) && IsNode(rest) && first <= last;
  if (!fits) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("\"{}\" is not a segment's name, <node>_<16 hex digits>_<20 digits>_"
                            "<20 digits>.parquet",
                            file_name));
  }
  name.node = rest;
  name.epoch = Epoch(epoch);
  name.range = {Position(first), Position(last)};
  return name;
}

std::string DatasetFolder(std::string_view dataset, int version) {
  return version == 1 ? std::string(dataset) : fmt::format("{}.v{}", dataset, version);
}

std::string SegmentFolder(std::string_view dataset_folder, Micros ingest_time, bool clock_synced) {
  if (!clock_synced) return fmt::format("{}/unsynced", dataset_folder);
  const UtcDateHour at = DateHourOf(ingest_time);
  return fmt::format(
      "{}/date={:04}-{:02}-{:02}/hour={:02}", dataset_folder, at.year, at.month, at.day, at.hour);
}

}  // namespace tidemark::format

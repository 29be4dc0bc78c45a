#include "lake/config/static_partitions.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

namespace tidemark::lake {

namespace {

constexpr std::int64_t kRangeNamesMax = 1'000'000;

std::optional<std::int64_t> WholeNumber(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

Status CheckItem(std::string_view item) {
  if (item.empty()) return Fail(ErrorCode::kInvalidArgument, "a partition has no name");
  const auto dots = item.find("..");
  if (dots == std::string_view::npos) return {};
  const auto from = WholeNumber(item.substr(0, dots));
  const auto to = WholeNumber(item.substr(dots + 2));
  if (!from || !to) return {};  // a name with two dots in it
  if (*from < 0 || *to < *from || *to - *from >= kRangeNamesMax) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("range {} does not rise or has more than 1000000 names", item));
  }
  return {};
}

}  // namespace

Result<StaticPartitions> ParseStaticPartitions(std::string_view text) {
  StaticPartitions partitions;
  std::string queue;
  while (!text.empty()) {
    const auto comma = text.find(',');
    std::string_view item = text.substr(0, comma);
    text = comma == std::string_view::npos ? "" : text.substr(comma + 1);
    const auto colon = item.find(':');
    if (colon != std::string_view::npos) {
      queue = item.substr(0, colon);
      item.remove_prefix(colon + 1);
    }
    if (queue.empty()) {
      return Fail(ErrorCode::kInvalidArgument, fmt::format("\"{}\" names no queue", item));
    }
    TIDEMARK_TRY_VOID(CheckItem(item));
    partitions[queue].emplace_back(item);
  }
  return partitions;
}

}  // namespace tidemark::lake

#include "format/segment_footer.h"

#include <fmt/format.h>

#include <charconv>

namespace tidemark::format {

namespace {

constexpr char kVersionKey[] = "thadam.version";
constexpr char kDatasetKey[] = "thadam.dataset";
constexpr char kSchemaKey[] = "thadam.schema_fp";
constexpr char kRangeKey[] = "thadam.wal_range";
constexpr char kConfigKey[] = "thadam.config_hash";
constexpr char kEnrichmentKey[] = "thadam.enrichment_hash";
constexpr char kClockKey[] = "thadam.clock_synced";
constexpr char kEventMinKey[] = "thadam.event_time_min";
constexpr char kEventMaxKey[] = "thadam.event_time_max";

std::optional<std::string> Find(const FooterPairs& pairs, std::string_view key) {
  for (const auto& [name, value] : pairs) {
    if (name == key) return value;
  }
  return std::nullopt;
}

std::unexpected<Error> Malformed(std::string_view key,
                                 std::string_view value,
                                 std::string_view expected) {
  return Fail(ErrorCode::kCorruption,
              fmt::format("footer key {} holds \"{}\", not {}", key, value, expected));
}

Result<std::string> Text(const FooterPairs& pairs, std::string_view key) {
  if (auto value = Find(pairs, key)) return *std::move(value);
  return Fail(ErrorCode::kCorruption, fmt::format("footer key {} is missing", key));
}

Result<std::int64_t> Number(std::string_view key, std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    return Malformed(key, text, "a number");
  }
  return value;
}

Result<std::optional<Micros>> Time(const FooterPairs& pairs, std::string_view key) {
  const auto text = Find(pairs, key);
  if (!text) return std::optional<Micros>();
  TIDEMARK_TRY(const std::int64_t value, Number(key, *text));
  return std::optional<Micros>(Micros(value));
}

Result<PositionRange> Range(const FooterPairs& pairs) {
  TIDEMARK_TRY(const std::string text, Text(pairs, kRangeKey));
  const auto dash = text.find('-');
  if (dash == std::string::npos) return Malformed(kRangeKey, text, "<first>-<last>");
  TIDEMARK_TRY(const std::int64_t first, Number(kRangeKey, std::string_view(text).substr(0, dash)));
  TIDEMARK_TRY(const std::int64_t last, Number(kRangeKey, std::string_view(text).substr(dash + 1)));
  if (first < 1 || last < first) return Malformed(kRangeKey, text, "<first>-<last>");
  return PositionRange{Position(first), Position(last)};
}

}  // namespace

FooterPairs EncodeFooter(const SegmentFooter& footer) {
  FooterPairs pairs = {
      {kVersionKey, std::string(kSegmentFooterVersion)},
      {kDatasetKey, footer.dataset},
      {kSchemaKey, footer.schema_fp},
      {kRangeKey, fmt::format("{}-{}", footer.range.first.value(), footer.range.last.value())},
      {kConfigKey, footer.config_hash},
      {kEnrichmentKey, footer.enrichment_hash},
      {kClockKey, footer.clock_synced ? "true" : "false"}};
  if (footer.event_time_min && footer.event_time_max) {
    pairs.emplace_back(kEventMinKey, fmt::format("{}", footer.event_time_min->value()));
    pairs.emplace_back(kEventMaxKey, fmt::format("{}", footer.event_time_max->value()));
  }
  return pairs;
}

Result<SegmentFooter> DecodeFooter(const FooterPairs& pairs) {
  TIDEMARK_TRY(const std::string version, Text(pairs, kVersionKey));
  if (version != kSegmentFooterVersion) {
    return Malformed(kVersionKey, version, fmt::format("{}", kSegmentFooterVersion));
  }
  SegmentFooter footer;
  TIDEMARK_TRY(footer.dataset, Text(pairs, kDatasetKey));
  TIDEMARK_TRY(footer.schema_fp, Text(pairs, kSchemaKey));
  TIDEMARK_TRY(footer.range, Range(pairs));
  TIDEMARK_TRY(footer.config_hash, Text(pairs, kConfigKey));
  TIDEMARK_TRY(footer.enrichment_hash, Text(pairs, kEnrichmentKey));
  TIDEMARK_TRY(const std::string synced, Text(pairs, kClockKey));
  if (synced != "true" && synced != "false") return Malformed(kClockKey, synced, "true or false");
  footer.clock_synced = synced == "true";
  TIDEMARK_TRY(footer.event_time_min, Time(pairs, kEventMinKey));
  TIDEMARK_TRY(footer.event_time_max, Time(pairs, kEventMaxKey));
  return footer;
}

}  // namespace tidemark::format

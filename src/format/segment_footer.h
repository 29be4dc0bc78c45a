#pragma once
// What a segment says about itself in its Parquet footer: the contract's lineage keys, and the span
// of its event times (segments contract: "Footer metadata"; docs/formats/segments.md).

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "format/wal_record.h"

namespace tidemark::format {

inline constexpr std::string_view kSegmentFooterVersion = "1";

struct SegmentFooter {
  std::string dataset;
  std::string schema_fp;
  PositionRange range;
  std::string config_hash;
  std::string enrichment_hash;  // empty without enrichment
  bool clock_synced = false;
  // Of the rows that have one; both or neither.
  std::optional<Micros> event_time_min;
  std::optional<Micros> event_time_max;

  bool operator==(const SegmentFooter&) const = default;
};

using FooterPairs = std::vector<std::pair<std::string, std::string>>;

// In the order in which they stand in the file; `thadam.event_time_*` are absent without event
// time.
FooterPairs EncodeFooter(const SegmentFooter& footer);

// Other keys are passed over. kCorruption names the key that is missing or malformed.
Result<SegmentFooter> DecodeFooter(const FooterPairs& pairs);

}  // namespace tidemark::format

// format: keys and names that are read back: one spelling for each.

#include <string>
#include <string_view>

#include "base/check.h"
#include "base/time.h"
#include "format/object_key.h"
#include "format/segment_name.h"
#include "format/wal_segment.h"

namespace tidemark::fuzz {

namespace {

// The key that the parts make.
std::string KeyOf(const format::DataKeyParts& parts) {
  format::Form form{.align = parts.has_hour ? format::Align::kHour : format::Align::kDay};
  const bool is_parquet = parts.extension == "parquet";
  form.data_format = is_parquet ? format::DataFormat::kParquet : format::DataFormat::kJsonl;
  if (parts.extension == "jsonl") form.codec = format::Codec::kNone;
  if (parts.extension == "jsonl.gz") form.codec = format::Codec::kGzip;
  if (!parts.lane) return format::MergedObjectKey(form, parts.queue, parts.window);
  form.layout = format::Layout::kPerPartition;
  const auto& lane = *parts.lane;
  return format::LaneObjectKey(
      form, parts.queue, parts.window, lane.partition, lane.first, lane.last);
}

}  // namespace

void Names(std::string_view bytes) {
  const std::string key = "queen/" + std::string(bytes);
  if (const auto parts = format::ParseDataKey("queen", key)) {
    TIDEMARK_CHECK(KeyOf(*parts) == key, "{} {}", key, KeyOf(*parts));
  }
  if (const auto k = format::ParseManifestKey("queen", "q", key)) {
    TIDEMARK_CHECK(format::ManifestKey("queen", "q", *k) == key, "{}", key);
  }
  if (const auto k = format::ParseCheckpointKey("queen", "q", key)) {
    TIDEMARK_CHECK(format::CheckpointKey("queen", "q", *k) == key, "{}", key);
  }
  if (const auto name = format::UnescapeName(bytes)) {
    const bool same = format::EscapeName(*name) == bytes || format::EscapePathName(*name) == bytes;
    TIDEMARK_CHECK(same, "{}", bytes);
  }
  TIDEMARK_CHECK(format::UnescapeName(format::EscapeName(bytes)).value() == bytes, "{}", bytes);
  TIDEMARK_CHECK(format::UnescapeName(format::EscapePathName(bytes)).value() == bytes, "{}", bytes);
  if (const auto name = format::ParseSegmentFileName(bytes)) {
    TIDEMARK_CHECK(format::SegmentFileName(*name) == bytes, "{}", bytes);
  }
  if (const auto first = format::ParseWalSegmentName(bytes)) {
    TIDEMARK_CHECK(format::WalSegmentName(*first) == bytes, "{}", bytes);
  }
  if (const auto time = ParseIso(bytes)) {
    TIDEMARK_CHECK(ParseIso(FormatIso(*time)).value() == *time, "{}", bytes);
  }
}

}  // namespace tidemark::fuzz

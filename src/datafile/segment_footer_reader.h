#pragma once
// What a finished segment says about itself, read from its last bytes alone.

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "format/segment_footer.h"

namespace tidemark::datafile {

// A Parquet file ends in this many bytes that tell the footer's length.
inline constexpr std::int64_t kParquetTailBytes = 8;

// Bytes of footer and tail together, from the file's last kParquetTailBytes. kCorruption: this is
// no Parquet file.
Result<std::int64_t> ParquetFooterBytes(std::string_view tail);

struct SegmentFacts {
  format::SegmentFooter footer;
  std::int64_t rows = 0;
  Micros ingest_time_min;
  Micros ingest_time_max;
};

// From the file's last ParquetFooterBytes(). kCorruption: not a segment of ours, and why.
Result<SegmentFacts> ReadSegmentFooter(std::string_view footer);

}  // namespace tidemark::datafile

#include "datafile/segment_footer_reader.h"

#include <arrow/util/key_value_metadata.h>
#include <fmt/format.h>
#include <parquet/metadata.h>
#include <parquet/statistics.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <memory>

#include "format/segment_schema.h"

namespace tidemark::datafile {

namespace {

constexpr std::string_view kMagic = "PAR1";

std::unexpected<Error> Damaged(std::string_view why) {
  return Fail(ErrorCode::kCorruption, fmt::format("not a segment: {}", why));
}

int IngestTimeColumn(const parquet::FileMetaData& metadata) {
  for (int i = 0; i < metadata.num_columns(); ++i) {
    const auto& node = metadata.schema()->Column(i)->schema_node();
    if (node->field_id() == static_cast<int>(format::SystemColumn::kIngestTime)) return i;
  }
  return -1;
}

bool IsNanos(const parquet::FileMetaData& metadata, int column) {
  const auto& type = metadata.schema()->Column(column)->logical_type();
  return type != nullptr && type->is_timestamp() &&
         static_cast<const parquet::TimestampLogicalType&>(*type).time_unit() ==
             parquet::LogicalType::TimeUnit::NANOS;
}

Status ReadIngestTimes(const parquet::FileMetaData& metadata, SegmentFacts& facts) {
  constexpr std::int64_t kNanosPerMicro = 1000;
  const int column = IngestTimeColumn(metadata);
  if (column < 0) return Damaged("it has no column with the field id of _ingest_time");
  const std::int64_t unit = IsNanos(metadata, column) ? kNanosPerMicro : 1;
  std::int64_t min = INT64_MAX;
  std::int64_t max = INT64_MIN;
  for (int group = 0; group < metadata.num_row_groups(); ++group) {
    const auto statistics = metadata.RowGroup(group)->ColumnChunk(column)->statistics();
    if (statistics == nullptr || !statistics->HasMinMax()) {
      return Damaged("_ingest_time has no statistics");
    }
    const auto& typed = static_cast<const parquet::Int64Statistics&>(*statistics);
    min = std::min(min, typed.min());
    max = std::max(max, typed.max());
  }
  facts.ingest_time_min = Micros(min / unit);
  facts.ingest_time_max = Micros(max / unit);
  return {};
}

Result<SegmentFacts> FactsOf(const parquet::FileMetaData& metadata) {
  format::FooterPairs pairs;
  if (const auto& stored = metadata.key_value_metadata(); stored != nullptr) {
    for (std::int64_t i = 0; i < stored->size(); ++i) {
      pairs.emplace_back(stored->key(i), stored->value(i));
    }
  }
  SegmentFacts facts;
  facts.rows = metadata.num_rows();
  TIDEMARK_TRY(facts.footer, format::DecodeFooter(pairs));
  TIDEMARK_TRY_VOID(ReadIngestTimes(metadata, facts));
  return facts;
}

}  // namespace

Result<std::int64_t> ParquetFooterBytes(std::string_view tail) {
  if (tail.size() != kParquetTailBytes || !tail.ends_with(kMagic)) {
    return Damaged("it does not end in PAR1");
  }
  std::uint32_t length = 0;
  std::memcpy(&length, tail.data(), sizeof length);
  return std::int64_t{length} + kParquetTailBytes;
}

Result<SegmentFacts> ReadSegmentFooter(std::string_view footer) {
  if (footer.size() <= kParquetTailBytes) return Damaged("it has no footer");
  const auto length = static_cast<std::int64_t>(footer.size()) - kParquetTailBytes;
  try {
    return FactsOf(*parquet::FileMetaData::Make(footer.data(), length));
  } catch (const std::exception& e) {
    return Damaged(e.what());
  }
}

}  // namespace tidemark::datafile

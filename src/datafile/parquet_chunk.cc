#include "datafile/parquet_chunk.h"

#include <algorithm>
#include <string>

namespace tidemark::datafile {

namespace {

// Plain encoding of a statistic: eight bytes, little-endian.
std::string EncodeInt(std::int64_t value) {
  std::string bytes(sizeof(value), '\0');
  auto rest = static_cast<std::uint64_t>(value);
  for (char& byte : bytes) {
    byte = static_cast<char>(rest & 0xff);
    rest >>= 8;
  }
  return bytes;
}

}  // namespace

void IntBounds::Add(std::span<const std::int64_t> values) {
  const auto [least, greatest] = std::ranges::minmax(values);
  min = std::min(min, least);
  max = std::max(max, greatest);
}

parquet::EncodedStatistics TextStatistics(const TextBounds& bounds, std::int64_t nulls) {
  parquet::EncodedStatistics statistics;
  statistics.set_null_count(nulls);
  statistics.all_null_value = !bounds.any();
  if (!bounds.any()) return statistics;
  const Bound lower = bounds.lower();
  statistics.set_min(lower.text);
  statistics.is_min_value_exact = lower.exact;
  if (const auto upper = bounds.upper(); upper.has_value()) {
    statistics.set_max(upper->text);
    statistics.is_max_value_exact = upper->exact;
  }
  return statistics;
}

parquet::EncodedStatistics IntStatistics(const IntBounds& bounds) {
  parquet::EncodedStatistics statistics;
  statistics.set_is_signed(true);
  statistics.set_null_count(0);
  statistics.set_min(EncodeInt(bounds.min));
  statistics.set_max(EncodeInt(bounds.max));
  statistics.is_min_value_exact = true;
  statistics.is_max_value_exact = true;
  return statistics;
}

void ParquetChunk::Write(std::int64_t records,
                         const std::int16_t* presence,
                         std::span<const parquet::ByteArray> texts) {
  static_cast<parquet::ByteArrayWriter&>(*writer).WriteBatch(
      records, presence, nullptr, texts.data());
}

void ParquetChunk::Write(std::span<const std::int64_t> values) {
  static_cast<parquet::Int64Writer&>(*writer).WriteBatch(
      static_cast<std::int64_t>(values.size()), nullptr, nullptr, values.data());
}

ParquetChunk OpenChunk(parquet::RowGroupMetaDataBuilder& builder,
                       const ParquetTarget& target,
                       ParquetColumn column,
                       bool held) {
  ParquetChunk chunk;
  chunk.metadata = builder.NextColumnChunk();
  const auto path = chunk.metadata->descr()->path();
  const auto& properties = *target.properties;
  parquet::CodecOptions codec_options(properties.compression_level(path));
  auto pages = parquet::PageWriter::Open(target.sink,
                                         properties.compression(path),
                                         chunk.metadata,
                                         target.ordinal,
                                         static_cast<std::int16_t>(column),
                                         properties.memory_pool(),
                                         /*buffered_row_group=*/held,
                                         /*header_encryptor=*/nullptr,
                                         /*data_encryptor=*/nullptr,
                                         /*page_write_checksum_enabled=*/false,
                                         /*column_index_builder=*/nullptr,
                                         /*offset_index_builder=*/nullptr,
                                         codec_options);
  chunk.writer = parquet::ColumnWriter::Make(chunk.metadata, std::move(pages), &properties);
  return chunk;
}

}  // namespace tidemark::datafile

#include "datafile/parquet_format.h"

namespace tidemark::datafile {

namespace {

using parquet::LogicalType;
using parquet::Repetition;
using parquet::schema::NodePtr;
using parquet::schema::PrimitiveNode;

NodePtr TextNode(const char* name, Repetition::type repetition) {
  return PrimitiveNode::Make(name, repetition, LogicalType::String(), parquet::Type::BYTE_ARRAY);
}

NodePtr Int64Node(const char* name, const std::shared_ptr<const LogicalType>& type) {
  return PrimitiveNode::Make(name, Repetition::REQUIRED, type, parquet::Type::INT64);
}

}  // namespace

std::shared_ptr<parquet::schema::GroupNode> RecordSchema() {
  const auto micros_utc = LogicalType::Timestamp(
      /*is_adjusted_to_utc=*/true, LogicalType::TimeUnit::MICROS);
  const parquet::schema::NodeVector columns = {TextNode(kPartitionColumn, Repetition::REQUIRED),
                                               Int64Node(kOffsetColumn, LogicalType::None()),
                                               TextNode(kTransactionIdColumn, Repetition::REQUIRED),
                                               Int64Node(kTsColumn, micros_utc),
                                               TextNode(kPayloadColumn, Repetition::OPTIONAL)};
  return std::static_pointer_cast<parquet::schema::GroupNode>(
      parquet::schema::GroupNode::Make(kRootName, Repetition::REQUIRED, columns));
}

std::shared_ptr<parquet::WriterProperties> RecordWriterProperties(format::Codec codec,
                                                                  arrow::MemoryPool* pool) {
  parquet::WriterProperties::Builder pins;
  pins.memory_pool(pool)
      ->created_by(kCreatedBy)
      ->version(parquet::ParquetVersion::PARQUET_1_0)
      ->data_page_version(parquet::ParquetDataPageVersion::V1)
      ->data_pagesize(kDataPageBytes)
      ->dictionary_pagesize_limit(kDictionaryPageBytes)
      ->max_rows_per_page(kPageRowsMax)
      ->write_batch_size(kBatchRecords)
      // Statistics are the chunk's alone and cut to a length, which the library cannot do: the
      // writer sets them.
      ->disable_statistics()
      ->set_size_statistics_level(parquet::SizeStatisticsLevel::None)
      ->disable_write_page_index()
      ->disable_page_checksum()
      ->disable_dictionary()
      ->enable_dictionary(kPartitionColumn)
      ->encoding(parquet::Encoding::PLAIN)
      ->encoding(kOffsetColumn, parquet::Encoding::DELTA_BINARY_PACKED)
      ->encoding(kTsColumn, parquet::Encoding::DELTA_BINARY_PACKED);
  if (codec == format::Codec::kZstd) {
    pins.compression(parquet::Compression::ZSTD)->compression_level(kParquetZstdLevel);
  } else {
    pins.compression(parquet::Compression::SNAPPY);
  }
  return pins.build();
}

}  // namespace tidemark::datafile

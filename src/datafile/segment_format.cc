#include "datafile/segment_format.h"

#include "base/check.h"

namespace tidemark::datafile {

namespace {

using format::ColumnKind;
using format::SchemaColumn;
using parquet::LogicalType;
using parquet::Repetition;
using parquet::schema::NodePtr;
using parquet::schema::PrimitiveNode;

constexpr std::int64_t kDataPageBytes = 1 << 20;
constexpr std::int64_t kPageRowsMax = 20'000;
constexpr std::int64_t kBatchRows = 1024;

std::shared_ptr<const LogicalType> LogicalTypeOf(const format::ColumnType& type,
                                                 TimestampUnit unit) {
  switch (type.kind) {
    case ColumnKind::kI8:
      return LogicalType::Int(8, true);
    case ColumnKind::kI16:
      return LogicalType::Int(16, true);
    case ColumnKind::kU8:
      return LogicalType::Int(8, false);
    case ColumnKind::kU16:
      return LogicalType::Int(16, false);
    case ColumnKind::kU32:
      return LogicalType::Int(32, false);
    case ColumnKind::kU64:
      return LogicalType::Int(64, false);
    case ColumnKind::kDecimal:
      return LogicalType::Decimal(type.precision, type.scale);
    case ColumnKind::kString:
    case ColumnKind::kJson:
      return LogicalType::String();
    case ColumnKind::kDate:
      return LogicalType::Date();
    case ColumnKind::kTimestamp:
      return LogicalType::Timestamp(/*is_adjusted_to_utc=*/true,
                                    unit == TimestampUnit::kMicros ? LogicalType::TimeUnit::MICROS
                                                                   : LogicalType::TimeUnit::NANOS);
    case ColumnKind::kBool:
    case ColumnKind::kI32:
    case ColumnKind::kI64:
    case ColumnKind::kF32:
    case ColumnKind::kF64:
    case ColumnKind::kBinary:
      break;
  }
  return LogicalType::None();
}

parquet::Type::type PhysicalTypeOf(ColumnStorage storage) {
  switch (storage) {
    case ColumnStorage::kBool:
      return parquet::Type::BOOLEAN;
    case ColumnStorage::kInt32:
      return parquet::Type::INT32;
    case ColumnStorage::kInt64:
      return parquet::Type::INT64;
    case ColumnStorage::kFloat:
      return parquet::Type::FLOAT;
    case ColumnStorage::kDouble:
      return parquet::Type::DOUBLE;
    case ColumnStorage::kText:
      return parquet::Type::BYTE_ARRAY;
    case ColumnStorage::kFixed:
      return parquet::Type::FIXED_LEN_BYTE_ARRAY;
  }
  TIDEMARK_CHECK(false, "no physical type for storage {}", static_cast<int>(storage));
}

NodePtr Node(const SchemaColumn& column, TimestampUnit unit) {
  const ColumnStorage storage = StorageOf(column.type);
  const int length =
      storage == ColumnStorage::kFixed ? static_cast<int>(DecimalBytes(column.type.precision)) : -1;
  return PrimitiveNode::Make(column.name,
                             column.required ? Repetition::REQUIRED : Repetition::OPTIONAL,
                             LogicalTypeOf(column.type, unit),
                             PhysicalTypeOf(storage),
                             length,
                             column.id);
}

// Bounds that readers prune by. Floats have none (a bound of NaN misleads readers), texts are long.
bool HasStatistics(ColumnKind kind) {
  return kind == ColumnKind::kTimestamp || kind == ColumnKind::kDate ||
         kind == ColumnKind::kDecimal || format::IsInteger(kind);
}

parquet::Compression::type CompressionOf(const SegmentCodec& codec) {
  switch (codec.kind) {
    case SegmentCodec::Kind::kNone:
      return parquet::Compression::UNCOMPRESSED;
    case SegmentCodec::Kind::kSnappy:
      return parquet::Compression::SNAPPY;
    case SegmentCodec::Kind::kZstd:
      break;
  }
  return parquet::Compression::ZSTD;
}

}  // namespace

bool HasDictionary(const format::ColumnType& type) { return type.kind == ColumnKind::kString; }

std::shared_ptr<parquet::schema::GroupNode> SegmentNode(const format::SegmentSchema& schema,
                                                        TimestampUnit unit) {
  parquet::schema::NodeVector nodes;
  for (const SchemaColumn& column : schema.columns) nodes.push_back(Node(column, unit));
  return std::static_pointer_cast<parquet::schema::GroupNode>(
      parquet::schema::GroupNode::Make("segment", Repetition::REQUIRED, nodes));
}

std::shared_ptr<parquet::WriterProperties> SegmentProperties(const format::SegmentSchema& schema,
                                                             const SegmentForm& form,
                                                             arrow::MemoryPool* pool) {
  parquet::WriterProperties::Builder pins;
  pins.memory_pool(pool)
      ->created_by(form.created_by)
      ->version(parquet::ParquetVersion::PARQUET_2_6)
      ->data_page_version(parquet::ParquetDataPageVersion::V1)
      ->data_pagesize(kDataPageBytes)
      ->dictionary_pagesize_limit(kDictionaryPageBytes)
      ->max_rows_per_page(kPageRowsMax)
      ->write_batch_size(kBatchRows)
      ->disable_statistics()
      ->set_size_statistics_level(parquet::SizeStatisticsLevel::None)
      ->disable_write_page_index()
      ->disable_page_checksum()
      ->disable_dictionary()
      ->encoding(parquet::Encoding::PLAIN)
      ->compression(CompressionOf(form.codec));
  if (form.codec.kind == SegmentCodec::Kind::kZstd) {
    pins.compression_level(form.codec.zstd_level);
  }
  for (const SchemaColumn& column : schema.columns) {
    if (HasDictionary(column.type)) pins.enable_dictionary(column.name);
    if (HasStatistics(column.type.kind)) pins.enable_statistics(column.name);
  }
  return pins.build();
}

}  // namespace tidemark::datafile

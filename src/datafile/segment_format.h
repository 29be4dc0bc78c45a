#pragma once
// Everything that decides a segment's bytes besides its rows, pinned here rather than inherited
// from the Parquet library's defaults.

#include <parquet/properties.h>
#include <parquet/schema.h>

#include <memory>

#include "datafile/segment_form.h"

namespace tidemark::datafile {

// A column with more distinct text than this in a row group goes on in plain: it is not of low
// cardinality.
inline constexpr std::int64_t kDictionaryPageBytes = 256 << 10;

bool HasDictionary(const format::ColumnType& type);

// The message `segment`; throws what the library throws.
std::shared_ptr<parquet::schema::GroupNode> SegmentNode(const format::SegmentSchema& schema,
                                                        TimestampUnit unit);

// `pool` outlives every writer that uses the properties.
std::shared_ptr<parquet::WriterProperties> SegmentProperties(const format::SegmentSchema& schema,
                                                             const SegmentForm& form,
                                                             arrow::MemoryPool* pool);

}  // namespace tidemark::datafile

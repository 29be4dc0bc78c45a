#pragma once
// Parquet objects (contract: "Parquet"; docs/formats/parquet.md). Row groups close on a record
// count, never on bytes.

#include <memory>
#include <string>

#include "datafile/writer.h"

namespace tidemark::datafile {

// `form.codec` is kZstd or kSnappy, `form.row_group_records` positive.
std::unique_ptr<ObjectWriter> NewParquetWriter(const format::Form& form,
                                               std::string queue,
                                               ViewLifetime lifetime);

}  // namespace tidemark::datafile

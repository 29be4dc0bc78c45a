#pragma once
// Reading Parquet objects back, through the library's column readers.

#include <string_view>

#include "base/result.h"
#include "datafile/reader.h"

namespace tidemark::datafile {

// kCorruption for bytes that are not Parquet, columns other than those of the envelope, damaged
// pages (by row group), or fewer values than the footer says. `bytes` must stay during the call.
Result<ReadSummary> ReadParquet(std::string_view bytes, const RecordVisitor& visit);

}  // namespace tidemark::datafile

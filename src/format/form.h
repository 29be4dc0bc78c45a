#pragma once
// The form of a window's objects: everything that decides their keys and bytes besides the records.
// It rides in the intent, so that a redo builds the same whatever the configuration says by then
// (decision 4).

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace tidemark::format {

enum class DataFormat { kJsonl, kParquet };
enum class Codec { kNone, kGzip, kZstd, kSnappy };
enum class Layout { kMerged, kPerPartition };
enum class Align { kHour, kDay, kNone };

struct Form {
  std::string prefix = "queen";
  DataFormat data_format = DataFormat::kJsonl;
  // JSONL: zstd, gzip or none. Parquet: zstd or snappy.
  Codec codec = Codec::kZstd;
  Layout layout = Layout::kMerged;
  Align align = Align::kHour;
  std::int64_t row_group_records = 100'000;  // Parquet only

  bool operator==(const Form&) const = default;
};

// Spellings of documents and environment: "jsonl", "parquet"; "none", "gzip", "zstd", "snappy";
// "merged", "per-partition"; "hour", "day", "none".
std::string_view ToString(DataFormat f);
std::string_view ToString(Codec c);
std::string_view ToString(Layout l);
std::string_view ToString(Align a);

// The inverse, exact spellings only; kInvalidArgument names the value and what is accepted.
Result<DataFormat> ParseDataFormat(std::string_view text);
Result<Codec> ParseCodec(std::string_view text);
Result<Layout> ParseLayout(std::string_view text);
Result<Align> ParseAlign(std::string_view text);

// "jsonl.zst", "jsonl.gz", "jsonl", "parquet".
std::string_view Extension(const Form& form);
// Content type of a data object (queen-interface 7.3).
std::string_view ContentType(const Form& form);
// "tidemark/<version> jsonl+zstd", "... jsonl+gzip", "... jsonl", "... parquet zstd", "... parquet
// snappy".
std::string WriterName(const Form& form, std::string_view version);

// Length of an alignment interval in microseconds; 0 for kNone.
std::int64_t AlignUnit(Align align);

}  // namespace tidemark::format

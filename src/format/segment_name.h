#pragma once
// Names of segments below a sink's ready/ folder (segments contract: "Datasets and layout";
// docs/formats/segments.md). A name is a function of node, epoch and range alone. Pure.

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/strong_int.h"
#include "base/time.h"
#include "format/wal_record.h"

namespace tidemark::format {

struct SegmentName {
  std::string node;  // [A-Za-z0-9._-]{1,64}
  Epoch epoch;
  PositionRange range;

  bool operator==(const SegmentName&) const = default;
};

// `{node}_{epoch:016x}_{first:020}_{last:020}.parquet`.
std::string SegmentFileName(const SegmentName& name);

// The inverse; kInvalidArgument for any other text, a range that ends before it begins included.
Result<SegmentName> ParseSegmentFileName(std::string_view file_name);

// `<dataset>`, or `<dataset>.v<N>` from version 2 on: the folder of a data set's files.
std::string DatasetFolder(std::string_view dataset, int version);

// The folder of a file below ready/: `<folder>/date=YYYY-MM-DD/hour=HH`, or `<folder>/unsynced`
// where the clock was not known to be right.
std::string SegmentFolder(std::string_view dataset_folder, Micros ingest_time, bool clock_synced);

}  // namespace tidemark::format

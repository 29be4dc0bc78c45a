#pragma once
// The files below a sink's ready/, as they stand on disk.

#include <string>
#include <vector>

#include "base/result.h"
#include "edge/segment/durable_file.h"
#include "format/catalog_record.h"
#include "format/segment_name.h"

namespace tidemark::edge {

struct ReadyFile {
  std::string dataset;  // the data set's folder
  std::string path;     // below ready/
  format::SegmentName name;
};

// By data set, epoch, first position. A file whose name is no segment's gets a sentence in `notes`
// and is left alone.
Result<std::vector<ReadyFile>> ListReady(SinkFolder& folder, std::vector<std::string>& notes);

// The catalog record of a file that the catalog lost: from its name, its footer and its bytes.
// kCorruption: it is no whole segment of that name.
Result<format::FinalizedRecord> DescribeReady(SinkFolder& folder, const ReadyFile& file);

// Removes the file durably.
Status RemoveReady(SinkFolder& folder, const std::string& path);

// Moves the file out of ready/ into strays/, durably; for files that contradict the catalog.
Status SetAside(SinkFolder& folder, const std::string& path);

}  // namespace tidemark::edge

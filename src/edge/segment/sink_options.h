#pragma once
// What a segment sink is opened with (segments contract: `config:`), and what it tells about
// itself.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/strong_int.h"
#include "datafile/segment_form.h"
#include "edge/dataset/dataset_spec.h"
#include "format/wal_record.h"
#include "io/failpoints.h"
#include "io/file_system.h"

namespace tidemark::edge {

struct Rotation {
  std::int64_t max_bytes = std::int64_t{128} << 20;
  std::int64_t max_rows = 0;              // 0: any number
  std::int64_t max_age_us = 300'000'000;  // since the first row's _ingest_time
};

struct SinkOptions {
  std::string id;
  std::string node_id;  // in file names
  std::string folder;   // absolute; ready/, staging/, quarantine/, catalog.log and cursor are in it
  // Where the last schema of each data set is kept; absolute.
  std::string schemas_folder;
  std::vector<DatasetSpec> datasets;
  datafile::SegmentForm form;
  Rotation rotation;
  std::size_t open_files_max = 4;
  std::int64_t disk_bytes_max = std::int64_t{4} << 30;
  std::int64_t reject_bytes_max = std::int64_t{1} << 30;
  bool finalize_on_shutdown = true;
  std::string config_hash;
  // The sink keeps what no data set of the pipeline takes, and tells which positions the log lost;
  // one sink of a pipeline does. The data sets elsewhere are other sinks', and only tell what is
  // taken there.
  bool keeps_unmatched = false;
  bool drops_unmatched = false;  // counts what no data set takes, and keeps none of it
  std::vector<DatasetSpec> datasets_elsewhere;
  io::Failpoint crash_at = io::Failpoint::kNever;
};

// The part of the write-ahead log that is there, and of which incarnation.
struct WalExtent {
  Epoch epoch;
  Position first;                                 // the first position that can be read again
  Position last;                                  // the last one that is durable; first - 1: none
  std::vector<format::PositionRange> holes = {};  // lost, between the two

  // Every position of the range can be read again.
  bool Holds(const format::PositionRange& range) const {
    return range.first >= first && range.last <= last &&
           std::ranges::none_of(holes, [&range](const format::PositionRange& hole) {
             return hole.first <= range.last && range.first <= hole.last;
           });
  }
};

struct SinkWorld {
  io::FileSystem& files;
  // One sentence for the program's log.
  std::function<void(const std::string& sentence)> note = [](const std::string&) {};
};

}  // namespace tidemark::edge

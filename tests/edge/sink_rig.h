#pragma once
// A segment sink on a disk in memory, fed from a log that is a list, and judged by the rows of its
// ready files.

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "edge/segment/segment_sink.h"
#include "format/reject_record.h"
#include "io/lossy_file_system.h"
#include "tests/support/cuttable_file_system.h"

namespace tidemark::test {

inline constexpr char kSinkFolder[] = "/data/sinks/local";
inline constexpr Epoch kFirstEpoch{0x5f3c};

// One record of the log; its position is its place in the list, from 1 on.
struct LogEntry {
  std::string topic;
  std::string payload;
  Micros ingest_time;
  bool clock_synced = true;
};

// A row by its key.
using RowKey = std::pair<std::int64_t, std::int32_t>;  // _wal_position, _row

// The keys of a segment's rows, in file order; fails the test when the bytes are no Parquet file.
std::vector<RowKey> RowKeysOf(const std::string& parquet);

// A data set that takes `topic` and has one required integer, `v`.
edge::DatasetSpec SimpleDataset(const std::string& id, const std::string& topic);

// What the sink writes for the two data sets `a` (topic "a") and `b` (topic "b").
edge::SinkOptions SimpleOptions();

// One life of a process with a sink. `disk` and `log` outlive it.
class SinkLife {
 public:
  SinkLife(io::FileSystem& disk, const std::vector<LogEntry>& log, edge::SinkOptions options)
      : disk_(disk), log_(log), options_(std::move(options)) {}

  Status Open(edge::SinkCounters so_far = {});

  // Feeds the log from where the sink wants it up to the position.
  Status Feed(std::int64_t through);

  Status FeedAll() { return Feed(static_cast<std::int64_t>(log_.size())); }

  // The log has lost what comes next, up to the position.
  Status Lose(std::int64_t through);

  edge::SegmentSink& sink() { return *sink_; }

  // As a process that died: it holds nothing any more.
  void End() { sink_.reset(); }

  CuttableFileSystem& disk() { return disk_; }

  const std::vector<std::string>& notes() const { return notes_; }

  edge::WalExtent wal{kFirstEpoch, Position(1), Position(0)};

 private:
  CuttableFileSystem disk_;
  const std::vector<LogEntry>& log_;
  edge::SinkOptions options_;
  std::unique_ptr<edge::SegmentSink> sink_;
  std::vector<std::string> notes_;
  Position fed_;
};

// Paths below ready/ of all segments, sorted; the schemas are left out.
std::vector<std::string> ReadyPaths(io::FileSystem& disk);

// The rows of all ready files, by data set, in the order of the files.
std::map<std::string, std::vector<RowKey>> ReadyRows(io::FileSystem& disk);

// The rejects of the log, in its order.
std::vector<format::RejectRecord> RejectRecords(io::FileSystem& disk);

// Positions and reasons of the log of rejects, in its order.
std::vector<std::pair<std::int64_t, std::string>> Rejects(io::FileSystem& disk);

std::string ReadFile(io::FileSystem& disk, const std::string& path);

// What the catalog on disk says.
format::CatalogState CatalogOf(io::FileSystem& disk);

// `{"v":<n>}`.
std::string Payload(std::int64_t n);

}  // namespace tidemark::test

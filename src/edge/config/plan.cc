#include <fmt/format.h>

#include <algorithm>

#include "edge/config/pipeline_config.h"
#include "edge/dataset/dataset_decoder.h"

namespace tidemark::edge {

namespace {

// What a data set holds that has no open file: parser and shape.
constexpr std::int64_t kDatasetBytes = 128 << 10;
// What an open segment holds beside its row group: a batch of columns while it is being decoded,
// the chunk on its way to the disk, encoder tables.
constexpr std::int64_t kSegmentBytes = 8 << 20;
// The rows of a record that explodes, and the piece of them that is being encoded.
constexpr std::int64_t kExplodedBytes = std::int64_t{kRecordRowBytesMax} + (16 << 20);
// Of the log: one being taken in, one on its way to the disk, three held for the sinks.
constexpr std::int64_t kGroups = 5;
// Records read ahead of the sinks: two batches of the log.
constexpr std::int64_t kReaderBytes = 4 << 20;
// What a frame of the log has beside the payload, about.
constexpr std::int64_t kFrameBytes = 64;
// What a known Idempotency-Key takes, in the source and in the log's table.
constexpr std::int64_t kKeyBytes = 500;

// What a line of a file takes beside its bytes, from its batch into a frame of the log.
constexpr std::int64_t kLineBytes = 250;

// One batch of lines, or the longest one.
std::int64_t FileBytes(const WalConfig& wal) {
  return std::max(kFileBatchBytes, wal.max_record_bytes) + kFileLinesMax * kLineBytes;
}

// Bodies as they were sent, and what is made of them on the way to the disk.
std::int64_t HttpBytes(const SourceConfig& source) {
  return HttpBodiesBytes(source) + HttpInflightBytes(source) + source.max_body_bytes +
         kHttpEventsMax * kFrameBytes + kHttpKeysMax * kKeyBytes;
}

bool Explodes(const DatasetSpec& spec) { return spec.explode.has_value(); }

}  // namespace

std::int64_t HttpBodiesBytes(const SourceConfig& source) { return 2 * source.max_body_bytes; }

std::int64_t HttpInflightBytes(const SourceConfig& source) {
  return 2 * source.max_body_bytes + kHttpEventsMax * kHttpEventBytes;
}

std::vector<PlanLine> MemoryPlan(const PipelineConfig& config) {
  std::vector<PlanLine> plan;
  plan.push_back({"write-ahead log: five groups, the longest record",
                  kGroups * config.wal.group_max_bytes + config.wal.max_record_bytes});
  for (const SourceConfig& source : config.sources) {
    if (source.kind == SourceConfig::Kind::kHttp) {
      plan.push_back({fmt::format("source {}: requests under way", source.id), HttpBytes(source)});
    } else if (source.kind == SourceConfig::Kind::kFile) {
      plan.push_back({fmt::format("source {}: a batch of lines, or the longest", source.id),
                      FileBytes(config.wal)});
    }
  }
  for (const ParquetSinkConfig& sink : config.sinks) {
    const auto datasets = static_cast<std::int64_t>(sink.datasets.size());
    const std::int64_t open = std::min(sink.max_open_files, datasets);
    plan.push_back({fmt::format("sink {}: {} data sets, {} open files", sink.id, datasets, open),
                    kReaderBytes + datasets * kDatasetBytes +
                        open * (sink.form.row_group_bytes + kSegmentBytes)});
    if (!std::ranges::any_of(DatasetsOf(config, sink), Explodes)) continue;
    plan.push_back(
        {fmt::format("sink {}: rows of a record that explodes", sink.id), kExplodedBytes});
  }
  return plan;
}

std::vector<PlanLine> DiskPlan(const PipelineConfig& config) {
  std::vector<PlanLine> plan;
  plan.push_back({"write-ahead log", config.wal.max_bytes});
  for (const ParquetSinkConfig& sink : config.sinks) {
    plan.push_back({fmt::format("sink {}: segments", sink.id), sink.max_disk});
    plan.push_back({fmt::format("sink {}: rejects", sink.id), sink.quarantine_max_disk});
  }
  return plan;
}

std::vector<std::string> NotBuilt(const PipelineConfig& config) {
  std::vector<std::string> sentences;
  for (const SourceConfig& source : config.sources) {
    if (source.kind == SourceConfig::Kind::kMqtt) {
      sentences.push_back(fmt::format("source {}: kind mqtt is not built yet", source.id));
    }
  }
  for (const ParquetSinkConfig& sink : config.sinks) {
    if (!sink.chain.empty()) {
      sentences.push_back(fmt::format("sink {}: `chain` (enrichment) is not built yet", sink.id));
    }
    if (sink.quarantine_rotation_set) {
      sentences.push_back(
          fmt::format("sink {}: quarantine segments are not built yet, rejects stay "
                      "in a log; leave `quarantine.rotation` out",
                      sink.id));
    }
    if (sink.retention) {
      sentences.push_back(fmt::format("sink {}: `retention` is not built yet", sink.id));
    }
  }
  for (const ObjectStoreConfig& store : config.object_stores) {
    sentences.push_back(fmt::format("sink {}: kind object_store is not built yet", store.id));
  }
  return sentences;
}

std::vector<std::string> RefusedByRun(const PipelineConfig& config) {
  std::vector<std::string> sentences = NotBuilt(config);
  std::int64_t bytes = 0;
  for (const PlanLine& line : MemoryPlan(config)) bytes += line.bytes;
  if (bytes > config.memory_bytes) {
    sentences.push_back(
        fmt::format("`memory` is {} bytes, and what the file asks for may take {}: "
                    "see the plan that `tidemark validate` prints",
                    config.memory_bytes,
                    bytes));
  }
  return sentences;
}

}  // namespace tidemark::edge

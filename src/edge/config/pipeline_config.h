#pragma once
// The pipeline file: what `tidemark run` does, as plain values (docs/pipeline.md). Everything the
// file may say is known here; what a program does not execute it refuses itself, by NotBuilt.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "edge/dataset/dataset_spec.h"
#include "edge/segment/sink_options.h"

namespace tidemark::edge {

struct WalConfig {
  std::string sync = "group";  // or each, none
  std::int64_t group_max_delay_ms = 5;
  std::int64_t group_max_bytes = 1 << 20;
  std::int64_t segment_bytes = 64 << 20;
  std::int64_t max_bytes = std::int64_t{8} << 30;
  std::int64_t max_record_bytes = 16 << 20;
};

struct MqttTopic {
  std::string filter;
  std::int64_t qos = 1;
};

struct SourceConfig {
  enum class Kind { kMqtt, kHttp, kFile };
  std::string id;
  Kind kind = Kind::kFile;
  // mqtt
  std::string url;
  std::string client_id;
  std::vector<MqttTopic> topics;
  std::string user;
  std::string password_file;
  std::string ca_file;
  // http
  std::string listen;
  std::string token_file;
  std::string tls_certificate_file;  // empty: no TLS
  std::string tls_key_file;
  std::int64_t max_body_bytes = 8 << 20;
  std::int64_t request_timeout_s = 30;
  // file
  std::vector<std::string> paths;
  std::string topic;
  bool follow = false;
};

struct EnrichStep {
  std::string table;
  std::string file;
  std::string key;
  std::vector<FieldSpec> columns;
};

struct Retention {
  std::int64_t max_age_s = 0;  // 0: any age
  std::int64_t max_bytes = 0;  // 0: any size
};

struct ParquetSinkConfig {
  std::string id;
  std::vector<std::string> datasets;  // ids; those declared, when the file names none
  std::string node_id;
  datafile::SegmentForm form;  // created_by is the program's to fill in
  Rotation rotation;
  std::int64_t max_open_files = 4;
  std::int64_t max_disk = std::int64_t{4} << 30;
  bool finalize_on_shutdown = true;
  std::vector<EnrichStep> chain;
  Rotation quarantine_rotation;
  std::int64_t quarantine_max_disk = std::int64_t{1} << 30;
  bool quarantine_rotation_set = false;  // the file says something about it
  std::optional<Retention> retention;
};

struct ObjectStoreConfig {
  std::string id;
  std::string from;
  std::string endpoint;
  std::string region;
  std::string bucket;
  std::string prefix;
  std::string credentials_file;
  std::int64_t concurrency = 4;
  std::int64_t keep_local_s = 0;
};

struct PipelineConfig {
  std::string node_id;
  std::string data_dir;
  std::string listen = "127.0.0.1:9344";
  std::int64_t memory_bytes = std::int64_t{256} << 20;
  WalConfig wal;
  std::string clock_synced = "auto";  // or true, false
  std::vector<SourceConfig> sources;
  std::vector<DatasetSpec> datasets;
  std::vector<ParquetSinkConfig> sinks;
  std::vector<ObjectStoreConfig> object_stores;
  bool unmatched_quarantined = true;  // false: dropped and counted

  std::string config_hash;  // 64 hex digits, over what can change rows or files
  std::string effective;    // the whole configuration with its defaults, as YAML
  std::vector<std::string> warnings;
};

// `name` is the file's, for messages. kInvalidArgument: one line for each fault, `name:line: what`,
// with the nearest known key where one is not known.
Result<PipelineConfig> ParsePipeline(std::string_view text, const std::string& name);

// Reads the file too: kNotFound or kUnavailable when it cannot be read.
Result<PipelineConfig> LoadPipeline(const std::string& path);

// What the file asks for and this program does not do, one sentence each.
std::vector<std::string> NotBuilt(const PipelineConfig& config);

// Why `run` refuses the file though it is right, one sentence each: what is not built, and a
// `memory` that the plan does not fit into.
std::vector<std::string> RefusedByRun(const PipelineConfig& config);

// The data sets of one sink, in the order of the file.
std::vector<DatasetSpec> DatasetsOf(const PipelineConfig& config, const ParquetSinkConfig& sink);

// Whether a sink has the data set. One that no sink has counts as not declared: what only it takes
// is unmatched.
bool IsConsumed(const PipelineConfig& config, const DatasetSpec& spec);

// What each part of the program may hold in memory; their sum is what `memory` must cover.
struct PlanLine {
  std::string what;
  std::int64_t bytes = 0;
};

// An http source holds so much of bodies as they were sent, and beside them so much of decompressed
// bodies and events; what does not fit is answered 503.
std::int64_t HttpBodiesBytes(const SourceConfig& source);
std::int64_t HttpInflightBytes(const SourceConfig& source);
inline constexpr std::int64_t kHttpEventsMax = 65'536;  // of one request
inline constexpr std::int64_t kHttpEventBytes = 200;
inline constexpr std::int64_t kHttpKeysMax = 32'768;  // Idempotency-Keys known at one time

// A file source takes so much of a file at a time, more where one line is longer.
inline constexpr std::int64_t kFileBatchBytes = 1 << 20;
inline constexpr std::int64_t kFileLinesMax = 16'384;

std::vector<PlanLine> MemoryPlan(const PipelineConfig& config);
std::vector<PlanLine> DiskPlan(const PipelineConfig& config);

}  // namespace tidemark::edge

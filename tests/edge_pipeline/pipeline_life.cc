#include "tests/edge_pipeline/pipeline_life.h"

#include <fmt/format.h>

#include "base/check.h"

namespace tidemark::test {

namespace {

constexpr char kPipeline[] = R"(
node_id: gw
data_dir: {data}
clock: {{ synced: {synced} }}
sources:
  - id: drop
    kind: file
    config: {{ paths: ["{input}/*"], topic: lines, follow: {follow} }}
  - id: ingest
    kind: http
    config: {{ listen: "127.0.0.1:8080" }}
datasets:
  - id: lines
    match: {{ source: drop }}
    fields: [{{ id: 1000, name: v, type: i64, required: true }}]
  - id: posts
    match: {{ source: ingest, topic: "t/+" }}
    unknown: lenient
    fields: [{{ id: 1000, name: v, type: i64, required: true }}]
  - id: parts
    match: {{ topic: "t/many" }}
    explode: {{ from: /s, index: {{ id: 101, name: part }} }}
    fields:
      - {{ id: 1000, name: v, type: i64, from: "^/v", required: true }}
      - {{ id: 1001, name: e, type: i32, required: true }}
sinks:
  - id: local
    kind: parquet
    config:
      datasets: [lines, posts]
      compression: none
      rotation: {{ max_rows: {rows}, max_age: {age} }}
      max_open_files: {open}
      finalize_on_shutdown: {finalize}
  - id: copy
    kind: parquet
    config:
      datasets: [parts]
      compression: snappy
      rotation: {{ max_rows: {rows}, max_age: {age} }}
      finalize_on_shutdown: {finalize}
)";

}  // namespace

edge::PipelineConfig PowerConfig(const LifeOptions& options) {
  using fmt::arg;
  const std::string text = fmt::format(kPipeline,
                                       arg("data", kDataFolder),
                                       arg("synced", options.clock_synced),
                                       arg("input", kInputFolder),
                                       arg("follow", options.follow),
                                       arg("rows", options.rows_max),
                                       arg("age", options.age_max_s),
                                       arg("open", options.open_files_max),
                                       arg("finalize", options.finalize_on_shutdown));
  auto config = edge::ParsePipeline(text, "pipeline.yaml");
  TIDEMARK_CHECK(config.has_value(), "{}", config.error().message);
  // Smaller than a pipeline file may say.
  config->wal.segment_bytes = options.wal_segment_bytes;
  config->wal.max_bytes = options.wal_bytes_max;
  config->wal.max_record_bytes = options.record_bytes_max;
  if (options.copy_is_full) {
    edge::ParquetSinkConfig& copy = config->sinks.back();
    copy.max_disk = copy.rotation.max_bytes = 0;
  }
  return *std::move(config);
}

PipelineLife::~PipelineLife() {
  if (!pipeline_) return;
  disk_.CutAfter(0, /*acts=*/false);
  if (!started_) Start();
  TIDEMARK_CHECK(Drain(), "a pipeline without a disk does not end");
}

Status PipelineLife::Open() {
  const auto make = [this](const auto& config, auto& wal, const auto& world) {
    return MakeSources(config, wal, world);
  };
  auto pipeline = edge::Pipeline::Open(
      config_,
      {.version = "test", .make_sources = make, .stop = drain_.get_token()},
      {.files = disk_,
       .clock = clock_,
       .loop = loop_,
       .work_pool = *pool_,
       .wal_pool = *pool_,
       .note = [this](const std::string& sentence) { notes_.push_back(sentence); },
       .metrics = metrics_});
  if (!pipeline) return std::unexpected(pipeline.error());
  pipeline_ = *std::move(pipeline);
  return {};
}

Result<std::vector<std::unique_ptr<edge::Source>>> PipelineLife::MakeSources(
    const edge::PipelineConfig& config, edge::Wal& wal, const edge::PipelineWorld& world) {
  edge::PipelineConfig files = config;
  const edge::SourceConfig http = files.sources.back();
  files.sources.pop_back();
  TIDEMARK_TRY(auto sources, edge::MakeSources(files, wal, world));
  edge::HttpSourceOptions options;
  options.id = http.id;
  auto posted = std::make_unique<edge::HttpSource>(
      std::move(options), wal, world.clock, world.loop, world.work_pool);
  sources.push_back(std::make_unique<PostingSource>(std::move(posted), clients_, world.loop));
  return sources;
}

io::Task<void> PipelineLife::RunToEnd() { end_ = co_await pipeline_->Run(drain_.get_token()); }

void PipelineLife::Start() {
  started_ = true;
  io::Spawn(loop_, RunToEnd());
  Wait({});
}

bool PipelineLife::Drain() {
  AskToDrain();
  for (int i = 0; i < 1000 && !end_; ++i) Wait(std::chrono::seconds(1));
  return end_.has_value();
}

}  // namespace tidemark::test

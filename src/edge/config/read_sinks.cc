#include <fmt/format.h>

#include <algorithm>

#include "base/time.h"
#include "edge/config/read_sections.h"

namespace tidemark::edge {

namespace {

constexpr std::int64_t kBytesMax = std::int64_t{1} << 50;
constexpr std::int64_t kSecondsMax = 10LL * 365 * 86'400;

Rotation ReadRotation(YamlMap map) {
  const Rotation defaults;
  Rotation rotation;
  rotation.max_bytes = map.Int("max_bytes", defaults.max_bytes, 1, kBytesMax);
  rotation.max_rows = map.Int("max_rows", 0, 0, INT64_MAX);
  rotation.max_age_us =
      map.Int("max_age", defaults.max_age_us / kMicrosPerSecond, 1, kSecondsMax) * kMicrosPerSecond;
  map.Done();
  return rotation;
}

void ReadForm(YamlMap& map, datafile::SegmentForm& form) {
  const std::string compression = map.Text("compression", "auto");
  if (auto codec = datafile::ParseSegmentCodec(compression)) {
    form.codec = *codec;
    map.effective()["compression"] = datafile::ToString(form.codec);
  } else {
    map.Fault("compression", codec.error().message);
  }
  form.row_group_bytes = map.Int("row_group_bytes", form.row_group_bytes, 1, kBytesMax);
  form.timestamp_unit = map.Choice("timestamp_unit", "micros", {"micros", "nanos"}) == "micros"
                            ? datafile::TimestampUnit::kMicros
                            : datafile::TimestampUnit::kNanos;
  form.unsigned_policy = map.Choice("unsigned", "native", {"native", "signed"}) == "native"
                             ? datafile::UnsignedPolicy::kNative
                             : datafile::UnsignedPolicy::kSigned;
}

EnrichStep ReadEnrich(YamlMap map) {
  EnrichStep step;
  step.table = map.RequiredText("table");
  step.file = map.RequiredText("file");
  step.key = map.RequiredText("key");
  for (YamlMap& column : map.List("columns")) step.columns.push_back(ReadField(column));
  map.Done();
  return step;
}

void ReadConfig(YamlMap map, const PipelineConfig& config, ParquetSinkConfig& sink) {
  if (map.Has("schemas")) {
    map.Fault("schemas",
              "a sink declares no schemas: declare each data set once under the pipeline's "
              "`datasets:`, and name it in the sink's `datasets:` list");
  }
  if (map.Has("config_hash")) map.Fault("config_hash", "it is computed and cannot be set");
  sink.datasets = map.Texts("datasets");
  for (const std::string& id : sink.datasets) {
    const bool declared = std::ranges::any_of(
        config.datasets, [&](const DatasetSpec& spec) { return spec.id == id; });
    if (!declared) map.Fault("datasets", fmt::format("no data set is called {}", id));
  }
  if (sink.datasets.empty()) {
    for (const DatasetSpec& spec : config.datasets) sink.datasets.push_back(spec.id);
    map.effective()["datasets"] = sink.datasets;
  }
  sink.node_id = map.Text("node_id", config.node_id);
  CheckName(map, "node_id", sink.node_id);
  ReadForm(map, sink.form);
  sink.rotation = ReadRotation(map.Map("rotation"));
  sink.max_open_files = map.Int("max_open_files", sink.max_open_files, 1, 10'000);
  sink.max_disk = map.Int("max_disk", sink.max_disk, 1, kBytesMax);
  sink.finalize_on_shutdown = map.Bool("finalize_on_shutdown", true);
  if (sink.max_disk < sink.rotation.max_bytes) {
    map.Fault("max_disk",
              fmt::format("{} is less than rotation.max_bytes, {}: no file could be finished",
                          sink.max_disk,
                          sink.rotation.max_bytes));
  }
  map.Done();
}

void ReadParquet(YamlMap& map, PipelineConfig& config, ParquetSinkConfig sink) {
  ReadConfig(map.Map("config"), config, sink);
  if (sink.form.timestamp_unit == datafile::TimestampUnit::kNanos) {
    config.warnings.push_back(fmt::format(
        "sink {}: several readers, Spark and Athena among them, take no nanoseconds", sink.id));
  }
  for (YamlMap& step : map.List("chain")) {
    sink.chain.push_back(ReadEnrich(step.Map("enrich")));
    step.Done();
  }
  YamlMap quarantine = map.Map("quarantine");
  sink.quarantine_rotation_set = quarantine.Has("rotation");
  if (sink.quarantine_rotation_set) {
    sink.quarantine_rotation = ReadRotation(quarantine.Map("rotation"));
  }
  sink.quarantine_max_disk = quarantine.Int("max_disk", sink.quarantine_max_disk, 1, kBytesMax);
  quarantine.Done();
  if (map.Has("retention")) {
    YamlMap retention = map.Map("retention");
    sink.retention = Retention{.max_age_s = retention.Int("max_age", 0, 0, kSecondsMax),
                               .max_bytes = retention.Int("max_bytes", 0, 0, kBytesMax)};
    retention.Done();
  }
  config.sinks.push_back(std::move(sink));
}

void ReadObjectStore(YamlMap map, PipelineConfig& config, ObjectStoreConfig store) {
  store.from = map.RequiredText("from");
  store.endpoint = map.RequiredText("endpoint");
  store.region = map.Text("region", "");
  store.bucket = map.Text("bucket", "");
  store.prefix = map.Text("prefix", "");
  store.credentials_file = map.Text("credentials_file", "");
  store.concurrency = map.Int("concurrency", store.concurrency, 1, 256);
  store.keep_local_s = map.Int("keep_local", 0, 0, kSecondsMax);
  map.Done();
  const bool known = std::ranges::any_of(
      config.sinks, [&](const ParquetSinkConfig& sink) { return sink.id == store.from; });
  if (!known) map.Fault("from", fmt::format("no parquet sink above is called {}", store.from));
  config.object_stores.push_back(std::move(store));
}

}  // namespace

void ReadSink(YamlMap map, PipelineConfig& config) {
  const std::string id = map.RequiredText("id");
  CheckName(map, "id", id);
  const std::string kind = map.Choice("kind", "parquet", {"parquet", "object_store"});
  if (kind == "parquet") {
    ParquetSinkConfig sink;
    sink.id = id;
    ReadParquet(map, config, std::move(sink));
  } else {
    ObjectStoreConfig store;
    store.id = id;
    ReadObjectStore(map.Map("config"), config, std::move(store));
  }
  map.Done();
}

}  // namespace tidemark::edge

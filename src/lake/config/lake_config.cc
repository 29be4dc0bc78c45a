#include "lake/config/lake_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "lake/config/address.h"
#include "lake/config/declared_list.h"
#include "lake/config/read_bucket.h"

namespace tidemark::lake {

namespace {

void ReadBroker(Variables& env, BrokerConfig& broker) {
  const std::string text = env.Text(declared::kUrl);
  const auto url = ParseHttpUrl(text);
  if (!url) {
    env.Refuse(declared::kUrl, WithoutUser(text), url.error().message);
    return;
  }
  broker.url = fmt::format("{}://{}{}", url->scheme, url->authority, url->path);
  broker.token = env.Text(declared::kToken);
}

void ReadForm(Variables& env, format::Form& form) {
  form.prefix = ReadPrefix(env);
  form.data_format = env.OneOf(declared::kFormat);
  const auto compression = env.OneOf(declared::kCompression);
  const auto parquet_codec = env.OneOf(declared::kParquetCodec);
  form.codec = form.data_format == format::DataFormat::kParquet ? parquet_codec : compression;
  form.layout = env.OneOf(declared::kLayout);
  form.align = env.OneOf(declared::kAlign);
}

std::string ReadSink(Variables& env) {
  std::string sink = env.Text(declared::kSink);
  const bool fits = sink.size() <= 64 && std::ranges::all_of(sink, [](unsigned char c) {
                      return c < 0x80 && (std::isalnum(c) || c == '.' || c == '_' || c == '-');
                    });
  if (!fits) env.Refuse(declared::kSink, sink);
  return sink;
}

void ReadQueues(Variables& env, LakeConfig& config) {
  const std::string text = env.Required(declared::kQueues);
  config.all_queues = text == "*";
  if (config.all_queues) return;
  std::string_view rest = text;
  while (!rest.empty()) {
    const auto comma = rest.find(',');
    std::string_view name = rest.substr(0, comma);
    rest = comma == std::string_view::npos ? "" : rest.substr(comma + 1);
    name.remove_prefix(std::min(name.find_first_not_of(" \t"), name.size()));
    name = name.substr(0, name.find_last_not_of(" \t") + 1);
    if (name == "*") env.Refuse(declared::kQueues, text);
    if (name.empty() || std::ranges::find(config.queues, name) != config.queues.end()) continue;
    config.queues.emplace_back(name);
  }
  if (config.queues.empty()) env.Refuse(declared::kQueues, text);
}

void ReadStaticPartitions(Variables& env, StaticPartitions& partitions) {
  const std::string text = env.Text(declared::kPartitions);
  auto parsed = ParseStaticPartitions(text);
  if (parsed) {
    partitions = *std::move(parsed);
  } else {
    env.Refuse(declared::kPartitions, text, parsed.error().message);
  }
}

void ReadStart(Variables& env, Start& start) {
  const std::string text = env.Text(declared::kStart);
  for (const auto& [spelling, kind] : kStartSpellings) {
    if (!SameSpelling(text, spelling)) continue;
    start.kind = kind;
    return;
  }
  const auto at = ParseIso(text);
  if (at) {
    start = {.kind = Start::Kind::kAt, .at = *at};
  } else {
    env.Refuse(declared::kStart, text);
  }
}

void ReadNumbers(Variables& env, LakeConfig& c) {
  c.target_mb = env.Number(declared::kTargetMb);
  c.max_window_ms = env.Number(declared::kMaxWindowMs);
  c.checkpoint_every = env.Number(declared::kCheckpointEvery);
  c.memory_mb = env.Number(declared::kMemoryMb);
  c.fetch_concurrency = env.Number(declared::kFetchConcurrency);
  c.discovery_interval_ms = env.Number(declared::kDiscoveryIntervalMs);
  c.safe_guard_ms = env.Number(declared::kSafeGuardMs);
  c.lease_ttl_ms = env.Number(declared::kLeaseTtlMs);
  c.multipart_threshold_mb = env.Number(declared::kMultipartThresholdMb);
}

void ReadProcess(Variables& env, io::Random& random, LakeConfig& config) {
  const std::string listen = env.Text(declared::kListen);
  if (auto address = io::ParseSocketAddress(listen)) {
    config.listen = std::move(*address);
  } else {
    env.Refuse(declared::kListen, listen);
  }
  config.instance = env.Text(declared::kInstance);
  if (config.instance.empty()) config.instance = env.Text(declared::kHostname);
  if (config.instance.empty()) {
    config.instance = fmt::format("s3-{:016x}", random.Next());
    config.instance_generated = true;
  }
  config.crash_at = env.OneOf(declared::kCrashAt);
  config.log_format = env.OneOf(declared::kLogFormat);
  const std::string filter = env.Text(declared::kRustLog);
  const auto level = obs::LevelFor(filter, "queen_s3");
  if (level) {
    config.log_level = *level;
  } else {
    env.Refuse(declared::kRustLog, filter, level.error().message);
  }
}

std::vector<std::string> UnknownVariables(const Environment& environment) {
  std::vector<std::string> unknown;
  for (const auto& [name, value] : environment) {
    if (!name.starts_with("QUEEN_S3_") || name.starts_with("QUEEN_S3_TEST_")) continue;
    if (std::ranges::find(kDeclared, name, &Declaration::name) == kDeclared.end()) {
      unknown.push_back(name);
    }
  }
  return unknown;
}

}  // namespace

Result<LakeConfig> ParseLakeConfig(const Environment& environment, io::Random& random) {
  LakeConfig config;
  Variables env(environment);
  ReadBroker(env, config.broker);
  config.sink = ReadSink(env);
  ReadQueues(env, config);
  ReadStaticPartitions(env, config.static_partitions);
  ReadBucket(env, config.bucket);
  ReadForm(env, config.form);
  ReadStart(env, config.start);
  ReadNumbers(env, config);
  ReadProcess(env, random, config);
  TIDEMARK_TRY_VOID(env.status());
  config.unknown_variables = UnknownVariables(environment);
  return config;
}

Status RefuseStaticPartitions(const LakeConfig& config) {
  if (config.static_partitions.empty()) return {};
  return Fail(ErrorCode::kInvalidArgument,
              "QUEEN_S3_PARTITIONS is set; accepted is leaving it out: a static list never learns "
              "up to when the log is safe to read, so no window could close");
}

}  // namespace tidemark::lake

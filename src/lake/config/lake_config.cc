#include "lake/config/lake_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "lake/config/address.h"
#include "lake/config/read_bucket.h"
#include "lake/config/spellings.h"

namespace tidemark::lake {

namespace {

// All that somebody reads; the last four are the broker's, which starts us with its own
// environment.
constexpr std::array kKnown{
    "QUEEN_S3_SINK",
    "QUEEN_S3_QUEUES",
    "QUEEN_S3_PARTITIONS",
    "QUEEN_S3_ENDPOINT",
    "QUEEN_S3_REGION",
    "QUEEN_S3_BUCKET",
    "QUEEN_S3_PREFIX",
    "QUEEN_S3_ACCESS_KEY",
    "QUEEN_S3_SECRET_KEY",
    "QUEEN_S3_SESSION_TOKEN",
    "QUEEN_S3_CREDENTIALS_FILE",
    "QUEEN_S3_CA_FILE",
    "QUEEN_S3_PATH_STYLE",
    "QUEEN_S3_SSE",
    "QUEEN_S3_SSE_KMS_KEY_ID",
    "QUEEN_S3_FORMAT",
    "QUEEN_S3_COMPRESSION",
    "QUEEN_S3_PARQUET_CODEC",
    "QUEEN_S3_LAYOUT",
    "QUEEN_S3_ALIGN",
    "QUEEN_S3_START",
    "QUEEN_S3_TARGET_MB",
    "QUEEN_S3_MAX_WINDOW_MS",
    "QUEEN_S3_CHECKPOINT_EVERY",
    "QUEEN_S3_MEMORY_MB",
    "QUEEN_S3_FETCH_CONCURRENCY",
    "QUEEN_S3_DISCOVERY_INTERVAL_MS",
    "QUEEN_S3_SAFE_GUARD_MS",
    "QUEEN_S3_LEASE_TTL_MS",
    "QUEEN_S3_MULTIPART_THRESHOLD_MB",
    "QUEEN_S3_LISTEN",
    "QUEEN_S3_INSTANCE",
    "QUEEN_S3_CRASH_AT",
    "QUEEN_S3_LOG_FORMAT",
    "QUEEN_S3_EMBEDDED",
    "QUEEN_S3_BIN",
    "QUEEN_S3_SHUTDOWN_GRACE_MS",
};

void ReadBroker(Variables& env, BrokerConfig& broker) {
  const std::string text = env.Text("QUEEN_URL", broker.url);
  const auto url = ParseHttpUrl(text);
  if (!url) {
    env.Refuse(fmt::format("QUEEN_URL is \"{}\"; accepted is http(s)://host[:port]: {}",
                           WithoutUser(text),
                           url.error().message));
    return;
  }
  broker.url = fmt::format("{}://{}{}", url->scheme, url->authority, url->path);
  broker.token = env.Text("QUEEN_TOKEN");
}

void ReadForm(Variables& env, format::Form& form) {
  form.prefix = ReadPrefix(env, form.prefix);
  form.data_format = env.OneOf("QUEEN_S3_FORMAT", kFormatSpellings, form.data_format);
  const auto compression =
      env.OneOf("QUEEN_S3_COMPRESSION", kCompressionSpellings, format::Codec::kZstd);
  const auto parquet_codec =
      env.OneOf("QUEEN_S3_PARQUET_CODEC", kParquetCodecSpellings, format::Codec::kZstd);
  form.codec = form.data_format == format::DataFormat::kParquet ? parquet_codec : compression;
  form.layout = env.OneOf("QUEEN_S3_LAYOUT", kLayoutSpellings, form.layout);
  form.align = env.OneOf("QUEEN_S3_ALIGN", kAlignSpellings, form.align);
}

std::string ReadSink(Variables& env, const std::string& otherwise) {
  std::string sink = env.Text("QUEEN_S3_SINK", otherwise);
  const bool fits = sink.size() <= 64 && std::ranges::all_of(sink, [](unsigned char c) {
                      return c < 0x80 && (std::isalnum(c) || c == '.' || c == '_' || c == '-');
                    });
  if (!fits) env.Refuse("QUEEN_S3_SINK", sink, "1 to 64 of A-Z a-z 0-9 . _ -");
  return sink;
}

void ReadQueues(Variables& env, LakeConfig& config) {
  constexpr std::string_view kAccepted = "a comma list of queues, or * for all";
  const std::string text = env.Required("QUEEN_S3_QUEUES", kAccepted);
  config.all_queues = text == "*";
  if (config.all_queues) return;
  std::string_view rest = text;
  while (!rest.empty()) {
    const auto comma = rest.find(',');
    std::string_view name = rest.substr(0, comma);
    rest = comma == std::string_view::npos ? "" : rest.substr(comma + 1);
    name.remove_prefix(std::min(name.find_first_not_of(" \t"), name.size()));
    name = name.substr(0, name.find_last_not_of(" \t") + 1);
    if (name == "*") env.Refuse("QUEEN_S3_QUEUES", text, kAccepted);
    if (name.empty() || std::ranges::find(config.queues, name) != config.queues.end()) continue;
    config.queues.emplace_back(name);
  }
  if (config.queues.empty()) env.Refuse("QUEEN_S3_QUEUES", text, kAccepted);
}

void ReadStaticPartitions(Variables& env, StaticPartitions& partitions) {
  const std::string text = env.Text("QUEEN_S3_PARTITIONS");
  auto parsed = ParseStaticPartitions(text);
  if (parsed) {
    partitions = *std::move(parsed);
  } else {
    env.Refuse(
        fmt::format("QUEEN_S3_PARTITIONS is \"{}\"; accepted is queue:0..1023,queue2:a,b: {}",
                    text,
                    parsed.error().message));
  }
}

void ReadStart(Variables& env, Start& start) {
  const std::string text = env.Text("QUEEN_S3_START");
  constexpr std::array kSpellings{Spelling<Start::Kind>{"latest", Start::Kind::kLatest},
                                  Spelling<Start::Kind>{"now", Start::Kind::kLatest},
                                  Spelling<Start::Kind>{"end", Start::Kind::kLatest},
                                  Spelling<Start::Kind>{"earliest", Start::Kind::kEarliest},
                                  Spelling<Start::Kind>{"beginning", Start::Kind::kEarliest}};
  if (text.empty()) return;
  for (const auto& [spelling, kind] : kSpellings) {
    if (!SameSpelling(text, spelling)) continue;
    start.kind = kind;
    return;
  }
  const auto at = ParseIso(text);
  if (at) {
    start = {.kind = Start::Kind::kAt, .at = *at};
  } else {
    env.Refuse("QUEEN_S3_START",
               text,
               "latest (now, end), earliest (beginning) or a time like 2026-09-04T10:00:00Z");
  }
}

void ReadNumbers(Variables& env, LakeConfig& c) {
  constexpr std::int64_t kHourMs = 3'600'000;
  c.target_mb = env.Number("QUEEN_S3_TARGET_MB", c.target_mb, 1, 5120);
  c.max_window_ms = env.Number("QUEEN_S3_MAX_WINDOW_MS", c.max_window_ms, 100, 24 * kHourMs);
  c.checkpoint_every = env.Number("QUEEN_S3_CHECKPOINT_EVERY", c.checkpoint_every, 1, 100'000);
  c.memory_mb = env.Number("QUEEN_S3_MEMORY_MB", c.memory_mb, 1, 1'048'576);
  c.fetch_concurrency = env.Number("QUEEN_S3_FETCH_CONCURRENCY", c.fetch_concurrency, 1, 256);
  c.discovery_interval_ms =
      env.Number("QUEEN_S3_DISCOVERY_INTERVAL_MS", c.discovery_interval_ms, 10, kHourMs);
  c.safe_guard_ms = env.Number("QUEEN_S3_SAFE_GUARD_MS", c.safe_guard_ms, 0, kHourMs);
  c.lease_ttl_ms = env.Number("QUEEN_S3_LEASE_TTL_MS", c.lease_ttl_ms, 1000, kHourMs);
  c.multipart_threshold_mb =
      env.Number("QUEEN_S3_MULTIPART_THRESHOLD_MB", c.multipart_threshold_mb, 5, 5120);
}

void ReadProcess(Variables& env, io::Random& random, LakeConfig& config) {
  const std::string listen = env.Text("QUEEN_S3_LISTEN", config.listen.ToString());
  if (auto address = io::ParseSocketAddress(listen)) {
    config.listen = std::move(*address);
  } else {
    env.Refuse("QUEEN_S3_LISTEN", listen, "address:port, such as 127.0.0.1:9333");
  }
  config.instance = env.Text("QUEEN_S3_INSTANCE", env.Text("HOSTNAME"));
  if (config.instance.empty()) {
    config.instance = fmt::format("s3-{:016x}", random.Next());
    config.instance_generated = true;
  }
  config.crash_at = env.OneOf("QUEEN_S3_CRASH_AT", kCrashSpellings, config.crash_at);
  config.log_format = env.OneOf("QUEEN_S3_LOG_FORMAT", kLogFormatSpellings, config.log_format);
  const std::string filter = env.Text("RUST_LOG", "warn,queen_s3=info,queen-s3=info");
  const auto level = obs::LevelFor(filter, "queen_s3");
  if (level) {
    config.log_level = *level;
  } else {
    env.Refuse(fmt::format("RUST_LOG is \"{}\": {}", filter, level.error().message));
  }
}

std::vector<std::string> UnknownVariables(const Environment& environment) {
  std::vector<std::string> unknown;
  for (const auto& [name, value] : environment) {
    if (!name.starts_with("QUEEN_S3_") || name.starts_with("QUEEN_S3_TEST_")) continue;
    if (std::ranges::find(kKnown, name) == kKnown.end()) unknown.push_back(name);
  }
  return unknown;
}

}  // namespace

Result<LakeConfig> ParseLakeConfig(const Environment& environment, io::Random& random) {
  LakeConfig config;
  Variables env(environment);
  ReadBroker(env, config.broker);
  config.sink = ReadSink(env, config.sink);
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

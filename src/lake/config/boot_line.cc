#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lake/config/lake_config.h"
#include "lake/config/spellings.h"

namespace tidemark::lake {

namespace {

std::string SseText(const store::StoreOptions& bucket) {
  if (bucket.sse.empty()) return "off";
  const std::string& id = bucket.sse_kms_key_id;
  if (id.empty()) return bucket.sse;
  return fmt::format("{}(…{})", bucket.sse, id.size() <= 4 ? "" : id.substr(id.size() - 4));
}

std::string StartText(const Start& start) {
  switch (start.kind) {
    case Start::Kind::kLatest:
      return "latest";
    case Start::Kind::kEarliest:
      return "earliest";
    case Start::Kind::kAt:
      return FormatIso(start.at);
  }
  return "?";
}

std::string PartitionsText(const StaticPartitions& partitions) {
  if (partitions.empty()) return "discovery";
  return fmt::format("static({} queues)", partitions.size());
}

std::string WhoAndWhere(const LakeConfig& c) {
  return fmt::format(
      "sink={} instance={}{} queues={} partitions={} queen={} token={} s3={} bucket={} prefix={} "
      "region={} addressing={} sse={}",
      c.sink,
      c.instance,
      c.instance_generated ? "(generated)" : "",
      c.all_queues ? "*" : fmt::format("{}", fmt::join(c.queues, ",")),
      PartitionsText(c.static_partitions),
      c.broker.url,
      c.broker.token.empty() ? "<unset>" : "<set>",
      c.bucket.endpoint,
      c.bucket.bucket,
      c.form.prefix,
      c.bucket.region.empty() ? "<unset>" : c.bucket.region,
      c.bucket.path_style ? "path-style" : "virtual-host",
      SseText(c.bucket));
}

std::string HowAndHowMuch(const LakeConfig& c) {
  return fmt::format(
      "format={} compression={} layout={} align={} target_mb={} max_window_ms={} start={} "
      "checkpoint_every={} memory_mb={} fetch_concurrency={} discovery_interval_ms={} "
      "safe_guard_ms={} lease_ttl_ms={} multipart_threshold_mb={} listen={} crash_at={}",
      format::ToString(c.form.data_format),
      format::ToString(c.form.codec),
      format::ToString(c.form.layout),
      format::ToString(c.form.align),
      c.target_mb,
      c.max_window_ms,
      StartText(c.start),
      c.checkpoint_every,
      c.memory_mb,
      c.fetch_concurrency,
      c.discovery_interval_ms,
      c.safe_guard_ms,
      c.lease_ttl_ms,
      c.multipart_threshold_mb,
      c.listen.ToString(),
      NameOf(kCrashSpellings, c.crash_at));
}

}  // namespace

std::string BootLine(const LakeConfig& config, std::string_view version) {
  return fmt::format("queen-s3 {} {} {}", version, WhoAndWhere(config), HowAndHowMuch(config));
}

}  // namespace tidemark::lake

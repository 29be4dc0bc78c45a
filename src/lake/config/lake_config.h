#pragma once
// The configuration of the lake: everything an operator sets, read once at boot from the
// environment alone (queen-interface 12 and the decisions). Names, ranges and defaults stand in
// declared.h.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "format/form.h"
#include "io/failpoints.h"
#include "io/random.h"
#include "io/socket_address.h"
#include "lake/config/start.h"
#include "lake/config/static_partitions.h"
#include "lake/config/variables.h"
#include "obs/log.h"
#include "store/open_store.h"

namespace tidemark::lake {

struct BrokerConfig {
  std::string url;    // QUEEN_URL; no slash at the end
  std::string token;  // QUEEN_TOKEN; a secret; empty: none
};

struct LakeConfig {
  BrokerConfig broker;
  store::StoreOptions bucket;  // QUEEN_S3_ENDPOINT, QUEEN_S3_BUCKET and so on
  format::Form form;           // prefix, format, codec, layout, alignment

  std::string sink;  // QUEEN_S3_SINK: part of the KV keys
  // QUEEN_S3_QUEUES: `*` or a list without repetitions, in the order given.
  bool all_queues = false;
  std::vector<std::string> queues;
  StaticPartitions static_partitions;  // QUEEN_S3_PARTITIONS; RefuseStaticPartitions
  Start start;                         // QUEEN_S3_START

  std::int64_t target_mb = 0;          // QUEEN_S3_TARGET_MB: uncompressed size that closes a window
  std::int64_t max_window_ms = 0;      // QUEEN_S3_MAX_WINDOW_MS: age that closes a window
  std::int64_t checkpoint_every = 0;   // QUEEN_S3_CHECKPOINT_EVERY: windows
  std::int64_t memory_mb = 0;          // QUEEN_S3_MEMORY_MB: all queues together
  std::int64_t fetch_concurrency = 0;  // QUEEN_S3_FETCH_CONCURRENCY: calls of one queue
  std::int64_t discovery_interval_ms = 0;   // QUEEN_S3_DISCOVERY_INTERVAL_MS: when idle
  std::int64_t safe_guard_ms = 0;           // QUEEN_S3_SAFE_GUARD_MS: on top of the broker's own
  std::int64_t lease_ttl_ms = 0;            // QUEEN_S3_LEASE_TTL_MS: floored to whole seconds
  std::int64_t multipart_threshold_mb = 0;  // QUEEN_S3_MULTIPART_THRESHOLD_MB

  io::SocketAddress listen;  // QUEEN_S3_LISTEN
  std::string instance;      // QUEEN_S3_INSTANCE, else HOSTNAME, else `s3-<16 hex>`
  bool instance_generated = false;
  io::Failpoint crash_at = io::Failpoint::kNever;     // QUEEN_S3_CRASH_AT
  obs::LogFormat log_format = obs::LogFormat::kText;  // QUEEN_S3_LOG_FORMAT
  obs::Level log_level = obs::Level::kInfo;           // RUST_LOG

  // Set variables named QUEEN_S3_... that nobody reads, a misspelling most likely: for a warning.
  std::vector<std::string> unknown_variables;
};

// kInvalidArgument: one sentence with the variable, its value (never a secret) and what is
// accepted. `random` mints the instance name when there is none.
Result<LakeConfig> ParseLakeConfig(const Environment& environment, io::Random& random);

// The reason to end with after the boot line when a static list is set (exit code 2).
Status RefuseStaticPartitions(const LakeConfig& config);

// `queen-s3 <version> key=value ...`, in queen-s3's order; no token, no secret, four characters of
// a KMS key id.
std::string BootLine(const LakeConfig& config, std::string_view version);

}  // namespace tidemark::lake

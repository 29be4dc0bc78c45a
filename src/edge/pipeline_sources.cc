#include "edge/pipeline_sources.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "edge/source/file_source.h"
#include "edge/source/http_source.h"
#include "edge/source/token_file.h"
#include "io/socket_address.h"
#include "io/tls_identity.h"

namespace tidemark::edge {

namespace {

static_assert(kHttpEventBytes == kEventBytes, "what the memory plan counts is what is held");

// Enough for a fleet that keeps its connections; each costs some 20 KiB at most, under TLS 80.
constexpr std::size_t kHttpConnectionsMax = 2048;
constexpr std::size_t kTlsConnectionsMax = 384;

// Lines that are taken together must fit into the log beside a segment, each with its frame, which
// is longer than a short line; so must the longest line.
TailLimits LimitsOf(const WalConfig& wal) {
  constexpr std::int64_t kFrameShare = 64;
  TailLimits limits;
  limits.batch_bytes = std::clamp<std::int64_t>(wal.max_bytes / kFrameShare, 1, kFileBatchBytes);
  limits.batch_lines = static_cast<std::size_t>(kFileLinesMax);
  limits.max_record_bytes = std::min(wal.max_record_bytes, (wal.max_bytes - wal.segment_bytes) / 2);
  return limits;
}

std::unique_ptr<Source> MakeFileSource(const PipelineConfig& pipeline,
                                       const SourceConfig& config,
                                       Wal& wal,
                                       const PipelineWorld& world) {
  FileSourceOptions options;
  options.id = config.id;
  options.paths = config.paths;
  options.topic = config.topic;
  options.follow = config.follow;
  options.limits = LimitsOf(pipeline.wal);
  return std::make_unique<FileSource>(
      std::move(options), wal, world.files, world.loop, world.work_pool, world.note);
}

Result<std::unique_ptr<Source>> MakeHttpSource(const PipelineConfig& pipeline,
                                               const SourceConfig& config,
                                               Wal& wal,
                                               const PipelineWorld& world) {
  const auto address = io::ParseSocketAddress(config.listen);
  TIDEMARK_CHECK(address.has_value(), "listen of source {}", config.id);
  HttpSourceOptions options;
  options.id = config.id;
  options.http.host = address->host;
  options.http.port = address->port;
  options.http.body_bytes_max = static_cast<std::uint64_t>(config.max_body_bytes);
  options.http.bodies_bytes_max = static_cast<std::uint64_t>(HttpBodiesBytes(config));
  options.http.connections_max = kHttpConnectionsMax;
  options.http.request_timeout = std::chrono::seconds(config.request_timeout_s);
  options.limits = {.max_record_bytes = pipeline.wal.max_record_bytes,
                    .body_bytes_max = static_cast<std::uint64_t>(config.max_body_bytes),
                    .events_max = static_cast<std::size_t>(kHttpEventsMax)};
  options.inflight_bytes_max = HttpInflightBytes(config);
  options.idempotency_keys_max = static_cast<std::size_t>(kHttpKeysMax);
  if (!config.token_file.empty()) {
    auto token = ReadTokenFile(world.files, config.token_file);
    if (!token) return Annotate(std::move(token.error()), "source " + config.id);
    options.token = *std::move(token);
  }
  if (!config.tls_certificate_file.empty()) {
    auto tls = io::TlsIdentity::Read(world.files, config.tls_certificate_file, config.tls_key_file);
    if (!tls) return Annotate(std::move(tls.error()), "source " + config.id);
    options.http.tls = *std::move(tls);
    options.http.connections_max = kTlsConnectionsMax;
  }
  return std::make_unique<HttpSource>(
      std::move(options), wal, world.clock, world.loop, world.work_pool);
}

}  // namespace

Result<std::vector<std::unique_ptr<Source>>> MakeSources(const PipelineConfig& config,
                                                         Wal& wal,
                                                         const PipelineWorld& world) {
  std::vector<std::unique_ptr<Source>> sources;
  for (const SourceConfig& source : config.sources) {
    TIDEMARK_CHECK(source.kind != SourceConfig::Kind::kMqtt, "NotBuilt names it");
    if (source.kind == SourceConfig::Kind::kFile) {
      sources.push_back(MakeFileSource(config, source, wal, world));
    } else {
      TIDEMARK_TRY(auto made, MakeHttpSource(config, source, wal, world));
      sources.push_back(std::move(made));
    }
  }
  return sources;
}

}  // namespace tidemark::edge

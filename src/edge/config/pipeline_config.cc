#include "edge/config/pipeline_config.h"

#include <fmt/format.h>
#include <simdjson.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <ranges>
#include <set>

#include "base/digest.h"
#include "edge/config/effective_text.h"
#include "edge/config/read_sections.h"
#include "edge/config/yaml_map.h"
#include "format/segment_name.h"

namespace tidemark::edge {

namespace {

// The first line, from 1, that is not UTF-8: what is written of it as JSON would not be JSON.
std::optional<int> LineNotUtf8(std::string_view text) {
  for (int number = 1; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (!simdjson::validate_utf8(line)) return number;
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return std::nullopt;
}

constexpr std::size_t kNameBytesMax = 64;

void ReadWal(YamlMap map, WalConfig& wal) {
  wal.sync = map.Choice("sync", wal.sync, {"group", "each", "none"});
  wal.group_max_delay_ms = map.Int("group_max_delay_ms", wal.group_max_delay_ms, 0, 10'000);
  wal.group_max_bytes = map.Int("group_max_bytes", wal.group_max_bytes, 1, 1 << 30);
  wal.segment_bytes = map.Int("segment_bytes", wal.segment_bytes, 4096, std::int64_t{1} << 40);
  wal.max_bytes = map.Int("max_bytes", wal.max_bytes, 4096, std::int64_t{1} << 50);
  wal.max_record_bytes = map.Int("max_record_bytes", wal.max_record_bytes, 1, 1 << 30);
  // The segment being written cannot be removed: with less room the log could withhold for ever.
  if (wal.max_bytes < 2 * wal.segment_bytes) {
    map.Fault("max_bytes",
              fmt::format(
                  "{} is less than twice wal.segment_bytes, {}", wal.max_bytes, wal.segment_bytes));
  }
  map.Done();
}

void CheckNewId(YamlMap& map, const std::string& id, std::set<std::string>& ids) {
  if (!ids.insert(id).second) map.Fault("id", fmt::format("{} is used twice", id));
}

void ReadSources(YamlMap& root, PipelineConfig& config) {
  std::set<std::string> ids;
  for (YamlMap& map : root.List("sources")) {
    config.sources.push_back(ReadSource(map));
    CheckNewId(map, config.sources.back().id, ids);
  }
}

void ReadDatasets(YamlMap& root, PipelineConfig& config) {
  std::set<std::string> ids;
  std::set<std::string> folders;
  for (YamlMap& map : root.List("datasets")) {
    config.datasets.push_back(ReadDataset(map));
    const DatasetSpec& spec = config.datasets.back();
    CheckNewId(map, spec.id, ids);
    if (!folders.insert(format::DatasetFolder(spec.id, spec.version)).second) {
      map.Fault("id", "its files would lie in the folder of another data set");
    }
    for (const std::string& source : spec.sources) {
      const bool known = std::ranges::any_of(
          config.sources, [&](const SourceConfig& other) { return other.id == source; });
      if (!known) map.Fault("match", fmt::format("no source is called {}", source));
    }
  }
}

void ReadSinks(YamlMap& root, PipelineConfig& config) {
  std::set<std::string> ids;
  for (YamlMap& map : root.List("sinks")) {
    ReadSink(map, config);
    CheckNewId(map, map.Text("id", ""), ids);
  }
  if (config.sinks.empty()) {
    root.Fault("sinks",
               "at least one of kind parquet is needed: without it, what is taken in would end "
               "nowhere");
  }
  for (const DatasetSpec& spec : config.datasets) {
    if (IsConsumed(config, spec)) continue;
    config.warnings.push_back(
        fmt::format("no sink consumes data set {}: what no other takes is unmatched", spec.id));
  }
}

Status Read(const YAML::Node& document, const std::string& name, PipelineConfig& config) {
  Faults faults(name);
  nlohmann::json effective;
  YamlMap root(document, "", effective, faults);
  ReadRoot(root, config);
  if (!faults.empty()) return Fail(ErrorCode::kInvalidArgument, faults.Text());
  config.effective = YamlText(effective);
  config.config_hash = ToHex(Sha256Of(HashedText(effective)));
  return {};
}

// The line on which a second document begins. A marker at the begin of a line is one wherever it
// stands (YAML 1.2.2, 9.1.4). Not the library's LoadAll: it never ends on some texts, "," is one.
std::optional<int> SecondDocumentIn(std::string_view text) {
  bool begun = false;
  bool ended = false;
  int number = 0;
  for (const auto part : std::views::split(text, '\n')) {
    const std::string_view line(part);
    ++number;
    const bool marker =
        line.size() == 3 || (line.size() > 3 && std::string_view(" \t\r").contains(line[3]));
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (marker && line.starts_with("...")) {
      ended = begun;
    } else if (marker && line.starts_with("---")) {
      if (begun) return number;
      begun = true;
    } else if (first != line.npos && line[first] != '#' && (begun || line[0] != '%')) {
      if (ended) return number;
      begun = true;
    }
  }
  return std::nullopt;
}

}  // namespace

void ReadRoot(YamlMap& root, PipelineConfig& config) {
  config.node_id = root.RequiredText("node_id");
  CheckName(root, "node_id", config.node_id);
  config.data_dir = root.RequiredText("data_dir");
  config.listen = root.Text("listen", config.listen);
  CheckListen(root, config.listen);
  config.memory_bytes = root.Bytes("memory", config.memory_bytes);
  ReadWal(root.Map("wal"), config.wal);
  YamlMap clock = root.Map("clock");
  config.clock_synced = clock.Choice("synced", config.clock_synced, {"auto", "true", "false"});
  clock.Done();
  config.unmatched_quarantined =
      root.Choice("unmatched", "quarantine", {"quarantine", "drop"}) == "quarantine";
  ReadSources(root, config);
  ReadDatasets(root, config);
  ReadSinks(root, config);
  root.Done();
}

void CheckName(YamlMap& map, const std::string& key, const std::string& name) {
  constexpr std::string_view kAllowed =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
  if (name.empty()) return;  // that it is missing was said already
  if (name.size() > kNameBytesMax || name.find_first_not_of(kAllowed) != std::string::npos ||
      name.front() == '.') {
    map.Fault(key,
              fmt::format("\"{}\" is not 1 to {} of A-Z a-z 0-9 . _ -, beginning with no dot",
                          name,
                          kNameBytesMax));
  }
}

std::optional<io::SocketAddress> CheckListen(YamlMap& map, const std::string& text) {
  const auto address = io::ParseSocketAddress(text);
  if (!address && !text.empty()) {
    map.Fault("listen",
              fmt::format("\"{}\" is not ADDRESS:PORT with an IP address or localhost, such as "
                          "127.0.0.1:8080 or [::1]:8080",
                          text));
  }
  return address;
}

Result<PipelineConfig> ParsePipeline(std::string_view text, const std::string& name) {
  if (const auto line = LineNotUtf8(text)) {
    return Fail(ErrorCode::kInvalidArgument, fmt::format("{}:{}: not UTF-8", name, *line));
  }
  if (const auto line = SecondDocumentIn(text)) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("{}:{}: a second document: a file holds one pipeline", name, *line));
  }
  PipelineConfig config;
  try {
    const YAML::Node document = YAML::Load(std::string(text));
    TIDEMARK_TRY_VOID(Read(document, name, config));
  } catch (const YAML::Exception& e) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("{}:{}: not YAML: {}", name, e.mark.line + 1, e.msg));
  }
  return config;
}

Result<PipelineConfig> LoadPipeline(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file.good()) {
    return Fail(ErrorCode::kNotFound, fmt::format("{}: cannot be read", path));
  }
  return ParsePipeline(text, path);
}

bool IsConsumed(const PipelineConfig& config, const DatasetSpec& spec) {
  return std::ranges::any_of(config.sinks, [&](const ParquetSinkConfig& sink) {
    return std::ranges::find(sink.datasets, spec.id) != sink.datasets.end();
  });
}

std::vector<DatasetSpec> DatasetsOf(const PipelineConfig& config, const ParquetSinkConfig& sink) {
  std::vector<DatasetSpec> specs;
  for (const DatasetSpec& spec : config.datasets) {
    const bool wanted = std::ranges::find(sink.datasets, spec.id) != sink.datasets.end();
    if (wanted) specs.push_back(spec);
  }
  return specs;
}

}  // namespace tidemark::edge

#include "edge/config/pipeline_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "edge/config/validation_report.h"
#include "edge/config/yaml_map.h"
#include "edge/dataset/dataset_decoder.h"

namespace tidemark::edge {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// The least that runs.
constexpr char kLeast[] = R"(node_id: gw-01
data_dir: /var/lib/tidemark
sources:
  - id: drop
    kind: file
    config: { paths: ["/data/in/*.jsonl"] }
datasets:
  - id: telemetry
    match: { source: drop, topic: "files/+" }
    identity: { robot: { id: 100, template: "{topic.1}" } }
    fields:
      - { id: 1000, name: seq, type: u64, required: true }
sinks:
  - id: local
    kind: parquet
    config: {}
)";

// kLeast with one piece of its text replaced.
std::string With(const std::string& piece, const std::string& by) {
  std::string text = kLeast;
  const auto at = text.find(piece);
  EXPECT_NE(at, std::string::npos) << piece;
  return text.replace(at, piece.size(), by);
}

std::string FaultOf(const std::string& text) {
  const auto config = ParsePipeline(text, "p.yaml");
  return config ? "" : config.error().message;
}

PipelineConfig Parsed(const std::string& text) {
  auto config = ParsePipeline(text, "p.yaml");
  EXPECT_TRUE(config) << config.error().message;
  return config.value_or(PipelineConfig());
}

TEST(PipelineFile, FillsDefaultsIn) {
  const PipelineConfig config = Parsed(kLeast);
  EXPECT_EQ(config.listen, "127.0.0.1:9344");
  EXPECT_EQ(config.memory_bytes, 256 << 20);
  EXPECT_EQ(config.wal.max_record_bytes, 16 << 20);
  EXPECT_EQ(config.sources[0].topic, "files/{basename}");
  EXPECT_FALSE(config.sources[0].follow);
  EXPECT_EQ(config.datasets[0].fields[0].from.pointer, "/seq");
  EXPECT_THAT(config.sinks[0].datasets, ElementsAre("telemetry"));
  EXPECT_EQ(config.sinks[0].node_id, "gw-01");
  EXPECT_EQ(config.sinks[0].form.row_group_bytes, 8 << 20);
  EXPECT_EQ(config.sinks[0].rotation.max_bytes, 128 << 20);
  EXPECT_EQ(config.sinks[0].rotation.max_age_us, 300'000'000);
  EXPECT_EQ(config.sinks[0].max_disk, std::int64_t{4} << 30);
  EXPECT_TRUE(config.unmatched_quarantined);
  EXPECT_THAT(config.warnings, IsEmpty());
  EXPECT_THAT(NotBuilt(config), IsEmpty());
}

TEST(PipelineFile, NamesAnUnknownKeyItsLineAndTheNearestOne) {
  EXPECT_EQ(FaultOf(With("type: u64,", "tpye: u64, type: u64,")),
            "p.yaml:12: datasets[0].fields[0].tpye is not known here; did you mean `type`?");
  EXPECT_THAT(FaultOf(With("node_id:", "nodeid: x\nnode_id:")), HasSubstr("p.yaml:1: nodeid"));
}

TEST(PipelineFile, IsUtf8) {
  EXPECT_EQ(FaultOf(With("{topic.1}", "\xc7")), "p.yaml:10: not UTF-8");
  EXPECT_EQ(FaultOf("a: \"\xc7"), "p.yaml:1: not UTF-8");
}

TEST(PipelineFile, IsOneDocument) {
  EXPECT_EQ(FaultOf("node_id: a\n---\nnode_id: b\n"),
            "p.yaml:2: a second document: a file holds one pipeline");
  EXPECT_EQ(FaultOf("node_id: a\n...\n# more\nnode_id: b\n"),
            "p.yaml:4: a second document: a file holds one pipeline");
  EXPECT_THAT(FaultOf("# one\n---\nnode_id: a\n...\n"), HasSubstr("`data_dir` is missing"));
  EXPECT_THAT(FaultOf(""), HasSubstr("`node_id` is missing"));
  EXPECT_THAT(FaultOf(","), HasSubstr("`node_id` is missing"));
}

TEST(PipelineFile, TellsEveryFaultAtOnce) {
  const std::string fault = FaultOf("node_id: a b\nlisten: []\n");
  EXPECT_THAT(fault, HasSubstr("p.yaml:1: node_id: \"a b\""));
  EXPECT_THAT(fault, HasSubstr("p.yaml:2: listen: a list where a text is wanted"));
  EXPECT_THAT(fault, HasSubstr("`data_dir` is missing"));
}

TEST(PipelineFile, PointsFromSchemasInASinkToDatasets) {
  EXPECT_THAT(FaultOf(With("config: {}", "config: { schemas: { telemetry: [] } }")),
              HasSubstr("under the pipeline's `datasets:`"));
}

TEST(PipelineFile, RefusesAKeyTwice) {
  EXPECT_THAT(FaultOf(With("data_dir:", "data_dir: /a\ndata_dir:")),
              HasSubstr("stands there twice"));
}

TEST(PipelineFile, SaysWhereItIsNoYaml) {
  EXPECT_THAT(FaultOf("node_id: [\n"), HasSubstr("p.yaml:2: not YAML"));
  EXPECT_THAT(FaultOf("- a\n"), HasSubstr("p.yaml:1: the file is not a mapping"));
}

class FaultyFile
    : public ::testing::TestWithParam<std::tuple<const char*, const char*, const char*>> {};

TEST_P(FaultyFile, IsNamed) {
  const auto& [piece, by, fault] = GetParam();
  EXPECT_THAT(FaultOf(With(piece, by)), HasSubstr(fault));
}

INSTANTIATE_TEST_SUITE_P(
    Faults,
    FaultyFile,
    ::testing::Values(
        std::tuple{"id: 1000", "id: 999", "\"999\" is not a whole number from 1000"},
        std::tuple{"id: 100,", "id: 1000,", "\"1000\" is not a whole number from 100 to 999"},
        std::tuple{"type: u64", "type: int", "type \"int\" is none of"},
        // C59: a column of the name of a path's key.
        std::tuple{"name: seq", "name: date", "no column may be called date"},
        std::tuple{"name: seq", "name: Date", "no column may be called Date: the folder date="},
        std::tuple{"name: seq", "name: HOUR", "no column may be called HOUR: the folder hour="},
        std::tuple{"name: seq", "name: _row", "belong to the system"},
        std::tuple{"name: seq", "name: robot", "two columns are called robot"},
        // C59: DuckDB, Spark, Trino and Hive know names without case.
        std::tuple{"name: seq", "name: ROBOT", "columns robot and ROBOT are one to readers"},
        std::tuple{"    fields:\n",
                   "    fields:\n      - { id: 1001, name: Seq, type: u64 }\n",
                   "p.yaml:8: datasets[0]: columns Seq and seq are one to readers"},
        std::tuple{"{topic.1}", "{topic}", "{topic} is none of"},
        std::tuple{"type: u64,", "type: u64, from: seq,", "JSON pointer \"seq\""},
        std::tuple{"type: u64,", "type: u64, from: ^/seq,", "nothing explodes here"},
        std::tuple{"files/+", "files/+x", "a wildcard fills its level alone"},
        std::tuple{"source: drop", "source: dorp", "no source is called dorp"},
        std::tuple{"config: {}", "config: { datasets: [x] }", "no data set is called x"},
        std::tuple{"config: {}", "config: { max_disk: 5 }", "less than rotation.max_bytes"},
        std::tuple{"config: {}", "config: { compression: lz4 }", "compression \"lz4\" is none of"},
        std::tuple{"config: {}", "config: { unsigned: no }", "\"no\" is none of native, signed"},
        std::tuple{"config: {}", "config: { config_hash: x }", "cannot be set"},
        std::tuple{"kind: parquet", "kind: csv", "\"csv\" is none of parquet, object_store"},
        // Nobody holds the log back then, and it is removed unread.
        std::tuple{"sinks:\n  - id: local\n    kind: parquet\n    config: {}\n",
                   "",
                   "p.yaml:1: sinks: at least one of kind parquet is needed"},
        std::tuple{"sinks:\n  - id: local\n    kind: parquet\n    config: {}\n",
                   "sinks: []\n",
                   "p.yaml:13: sinks: at least one of kind parquet is needed"},
        std::tuple{"required: true", "required: yes", "\"yes\" is neither true nor false"},
        std::tuple{"node_id: gw-01", "node_id: \"\"", "p.yaml:1: node_id: \"\" where a text"},
        std::tuple{"id: telemetry", "id: \"\"", "datasets[0].id: \"\" where a text"},
        std::tuple{"type: u64,", "type: \"\",", "fields[0].type: \"\" where a text"},
        std::tuple{"paths: [\"/data/in/*.jsonl\"]", "paths: [\"\"]", "paths: its items are texts"},
        std::tuple{"name: seq", "name: \"a\\tb\"", "no blanks and no control characters"},
        std::tuple{"node_id: gw-01", "node_id: gw/01", "\"gw/01\" is not 1 to 64"},
        std::tuple{"id: telemetry", "id: _quarantine", "belong to the system"},
        std::tuple{
            "    identity", "    decode: raw\n    identity", "of `decode: raw` a field is binary"},
        std::tuple{"sinks:", "memory: 5MB\nsinks:", "\"5MB\" is not a size"},
        std::tuple{"kind: file\n", "kind: mqtt\n", "sources[0].config: `url` is missing"},
        std::tuple{"sinks:",
                   "wal: { segment_bytes: 5000, max_bytes: 9999 }\nsinks:",
                   "wal.max_bytes: 9999 is less than twice wal.segment_bytes, 5000"},
        std::tuple{
            "sinks:", "listen: edge.local:80\nsinks:", "\"edge.local:80\" is not ADDRESS:PORT"},
        std::tuple{"kind: file\n    config: { paths: [\"/data/in/*.jsonl\"] }",
                   "kind: http\n    config: { listen: 0.0.0.0:80 }",
                   "sources[0].config.listen: 0.0.0.0:80 is open to other machines"},
        std::tuple{"kind: file\n    config: { paths: [\"/data/in/*.jsonl\"] }",
                   "kind: http\n    config: { listen: 127.0.0.1:80, max_body_bytes: 0 }",
                   "\"0\" is not a whole number from 1"}));

TEST(PipelineFile, KnowsEverythingAndRunRefusesWhatIsNotBuilt) {
  const PipelineConfig config = Parsed(R"yaml(node_id: gw-01
data_dir: /d
memory: 1GiB
wal: { sync: none, group_max_delay_ms: 5, group_max_bytes: 1, segment_bytes: 4096, max_bytes: 8192, max_record_bytes: 1 }
clock: { synced: true }
unmatched: drop
sources:
  - { id: m, kind: mqtt, config: { url: "mqtt://127.0.0.1", client_id: c, topics: [{ filter: "a/#", qos: 2 }] } }
  - { id: h, kind: http, config: { listen: "127.0.0.1:8080", token_file: /t } }
datasets:
  - id: t
    version: 2
    match: { source: [m, h], topic: "a/#" }
    decode: json
    event_time: { from: ^/ts, format: epoch_ms }
    unknown: capture
    explode: { from: /samples, index: { id: 101, name: sample }, required: true }
    fields:
      - { id: 1000, name: at, type: timestamp, from: ^/at, format: epoch_ns, round: down }
      - { id: 1001, name: price, type: "decimal(10,2)", unit: EUR }
sinks:
  - id: local
    kind: parquet
    config: { datasets: [t], compression: zstd(3), row_group_bytes: 1, rotation: { max_bytes: 1, max_rows: 2, max_age: 3 }, max_open_files: 1, max_disk: 5, timestamp_unit: nanos, unsigned: signed, finalize_on_shutdown: false, node_id: other }
    chain:
      - enrich: { table: sites, file: sites.csv, key: robot, columns: [{ id: 1100, name: site, type: string }] }
    quarantine: { rotation: { max_bytes: 1, max_age: 300 }, max_disk: 1 }
    retention: { max_age: 604800, max_bytes: 2147483648 }
  - id: lake
    kind: object_store
    config: { from: local, endpoint: "https://e", region: r, bucket: b, prefix: fleet, credentials_file: f, concurrency: 4, keep_local: 5 }
)yaml");
  EXPECT_EQ(config.memory_bytes, 1 << 30);
  EXPECT_EQ(config.sources[0].topics[0].qos, 2);
  const DatasetSpec& spec = config.datasets[0];
  EXPECT_TRUE(spec.event_time->from.document);
  EXPECT_EQ(spec.event_time->format, TimeFormat::kEpochMillis);
  EXPECT_EQ(spec.explode->index_name, "sample");
  EXPECT_TRUE(spec.fields[0].round_down);
  EXPECT_EQ(spec.fields[1].unit, "EUR");
  const ParquetSinkConfig& sink = config.sinks[0];
  EXPECT_EQ(sink.form.codec.zstd_level, 3);
  EXPECT_EQ(sink.rotation.max_rows, 2);
  EXPECT_EQ(sink.rotation.max_age_us, 3'000'000);
  EXPECT_EQ(sink.chain[0].columns[0].name, "site");
  EXPECT_EQ(config.object_stores[0].keep_local_s, 5);
  EXPECT_EQ(config.sources[1].max_body_bytes, 8 << 20);
  EXPECT_EQ(NotBuilt(config).size(), 5);
}

TEST(PipelineFile, WarnsOfADataSetThatNobodyConsumes) {
  const std::string other =
      "datasets:\n  - { id: other, fields: [{ id: 1000, name: a, type: bool }] }";
  std::string text = With("datasets:", other);
  text.replace(text.find("config: {}"), 10, "config: { datasets: [telemetry] }");
  EXPECT_THAT(Parsed(text).warnings,
              ElementsAre("no sink consumes data set other: what no other takes is unmatched"));
}

// C47: files that half of the readers cannot read.
TEST(PipelineFile, WarnsOfNanoseconds) {
  EXPECT_THAT(Parsed(With("config: {}", "config: { timestamp_unit: nanos }")).warnings,
              ElementsAre(HasSubstr("take no nanoseconds")));
}

TEST(ConfigHash, CoversWhatCanChangeRowsOrFiles) {
  const std::string hash = Parsed(kLeast).config_hash;
  EXPECT_EQ(hash.size(), 64);
  for (const std::string& other : {With("gw-01", "gw-02"),
                                   With("type: u64", "type: u32"),
                                   With("{topic.1}", "{topic.0}"),
                                   With("files/+", "files/#"),
                                   With("config: {}", "config: { rotation: { max_age: 60 } }"),
                                   With("config: {}", "config: { compression: none }"),
                                   With("sinks:", "unmatched: drop\nsinks:")}) {
    EXPECT_NE(Parsed(other).config_hash, hash) << other;
  }
}

TEST(ConfigHash, DoesNotCoverTheRest) {
  const std::string hash = Parsed(kLeast).config_hash;
  for (const std::string& other :
       {With("/var/lib/tidemark", "/elsewhere"),
        With("sinks:", "listen: 127.0.0.1:1\nmemory: 1GiB\nwal: { sync: each }\nsinks:"),
        With("config: {}", "config: { max_disk: 5000000000 }"),
        With("config: {}", "config: { compression: auto, datasets: [telemetry] }"),
        std::string("# a remark\n") + kLeast}) {
    EXPECT_EQ(Parsed(other).config_hash, hash) << other;
  }
}

TEST(MemoryPlan, CountsRowGroupsOfTheFilesThatMayBeOpen) {
  const auto sum = [](const PipelineConfig& config) {
    std::int64_t bytes = 0;
    for (const PlanLine& line : MemoryPlan(config)) bytes += line.bytes;
    return bytes;
  };
  const PipelineConfig config = Parsed(kLeast);
  EXPECT_LT(sum(config), config.memory_bytes);
  const PipelineConfig larger = Parsed(With("config: {}", "config: { row_group_bytes: 16777216 }"));
  EXPECT_EQ(sum(larger) - sum(config), 8 << 20);
}

TEST(MemoryPlan, CountsTheRowsOfARecordThatExplodes) {
  const auto lines = MemoryPlan(Parsed(kLeast)).size();
  const auto plan =
      MemoryPlan(Parsed(With("    fields:", "    explode: { from: /s }\n    fields:")));
  ASSERT_EQ(plan.size(), lines + 1);
  EXPECT_GT(plan.back().bytes, std::int64_t{kRecordRowBytesMax});
}

TEST(MemoryPlan, CountsABatchOrTheLongestLineOfEachFileSource) {
  const auto of_source = [](const PipelineConfig& config) { return MemoryPlan(config)[1]; };
  const PlanLine line = of_source(Parsed(kLeast));
  EXPECT_THAT(line.what, HasSubstr("source drop: a batch of lines, or the longest"));
  EXPECT_GT(line.bytes, 16 << 20);
  const auto short_lines = Parsed(With("sinks:", "wal: { max_record_bytes: 1000 }\nsinks:"));
  EXPECT_EQ(line.bytes - of_source(short_lines).bytes, 15 << 20);
}

TEST(MemoryPlan, CountsWhatAnHttpSourceHolds) {
  const std::string piece = "kind: file\n    config: { paths: [\"/data/in/*.jsonl\"] }";
  const auto bytes = [&](const std::string& config) {
    return MemoryPlan(Parsed(With(piece, "kind: http\n    config: { " + config + " }")))[1].bytes;
  };
  const std::int64_t least = bytes("listen: 127.0.0.1:80, max_body_bytes: 1048576");
  EXPECT_EQ(bytes("listen: 127.0.0.1:80, max_body_bytes: 2097152") - least, 5 << 20);
  EXPECT_LT(bytes("listen: 127.0.0.1:80"), 80 << 20);
}

TEST(Validation, PrintsSchemaPlansAndHash) {
  const PipelineConfig config = Parsed(kLeast);
  const std::string text = ValidationText(config);
  EXPECT_THAT(text, HasSubstr("node_id: \"gw-01\""));
  EXPECT_THAT(text, HasSubstr("1000  seq"));
  EXPECT_THAT(text, HasSubstr("\nconfig_hash: " + config.config_hash + "\n"));
  EXPECT_THAT(ValidationJson(config), HasSubstr("\"config_hash\": \"" + config.config_hash));
}

TEST(EffectiveConfiguration, IsAPipelineFileOfTheSameMeaning) {
  const PipelineConfig config = Parsed(kLeast);
  EXPECT_THAT(config.effective, HasSubstr("max_age: 300"));
  const PipelineConfig again = Parsed(config.effective);
  EXPECT_EQ(again.config_hash, config.config_hash);
  EXPECT_EQ(again.effective, config.effective);
}

TEST(Nearest, FindsASlipAndNothingFar) {
  EXPECT_EQ(Nearest("max_byte", {"max_rows", "max_bytes", "max_age"}), "max_bytes");
  EXPECT_EQ(Nearest("colour", {"id", "kind"}), "");
}

}  // namespace
}  // namespace tidemark::edge

#include "edge/config/validation_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "edge/dataset/dataset_schema.h"

namespace tidemark::edge {

namespace {

using nlohmann::ordered_json;

// A data set as one sink writes it.
struct SinkSchema {
  const ParquetSinkConfig& sink;
  format::SegmentSchema schema;
};

std::vector<SinkSchema> SchemasOf(const PipelineConfig& config) {
  std::vector<SinkSchema> schemas;
  for (const ParquetSinkConfig& sink : config.sinks) {
    for (const DatasetSpec& spec : DatasetsOf(config, sink)) {
      schemas.push_back({sink, SchemaOf(spec, sink.form)});
    }
  }
  return schemas;
}

void AppendPlan(const char* title,
                const std::vector<PlanLine>& plan,
                std::int64_t limit,
                std::string& out) {
  std::int64_t sum = 0;
  out += fmt::format("\n{}\n", title);
  for (const PlanLine& line : plan) {
    out += fmt::format("  {:>14}  {}\n", line.bytes, line.what);
    sum += line.bytes;
  }
  out += fmt::format("  {:>14}  together", sum);
  if (limit > 0) {
    out += fmt::format(", of `memory` {}", limit);
  }
  out += '\n';
}

ordered_json PlanJson(const std::vector<PlanLine>& plan) {
  ordered_json lines = ordered_json::array();
  for (const PlanLine& line : plan) lines.push_back({{"what", line.what}, {"bytes", line.bytes}});
  return lines;
}

ordered_json ColumnJson(const format::SchemaColumn& column) {
  return {{"id", column.id},
          {"name", column.name},
          {"type", format::ToString(column.type)},
          {"required", column.required},
          {"unit", column.unit}};
}

}  // namespace

std::string ValidationText(const PipelineConfig& config, const StateReport* state) {
  std::string out = config.effective;
  for (const auto& [sink, schema] : SchemasOf(config)) {
    out += fmt::format("\ndata set {} (version {}) in sink {}, schema_fp {}\n",
                       schema.dataset,
                       schema.version,
                       sink.id,
                       format::SchemaFingerprint(schema));
    for (const auto& column : schema.columns) {
      out += fmt::format("  {:>6}  {:<24} {:<14} {}{}\n",
                         column.id,
                         column.name,
                         format::ToString(column.type),
                         column.required ? "required" : "optional",
                         column.unit.empty() ? "" : "  " + column.unit);
    }
  }
  AppendPlan("memory, bytes at most", MemoryPlan(config), config.memory_bytes, out);
  AppendPlan("disk, bytes at most", DiskPlan(config), 0, out);
  if (state != nullptr) {
    out += "\nstate\n";
    for (const std::string& fact : state->facts) out += "  " + fact + "\n";
    for (const std::string& fault : state->faults) out += "  fault: " + fault + "\n";
  }
  out += '\n';
  for (const std::string& warning : config.warnings) out += "warning: " + warning + "\n";
  for (const std::string& sentence : RefusedByRun(config)) {
    out += "run refuses: " + sentence + "\n";
  }
  return out + "config_hash: " + config.config_hash + "\n";
}

std::string ValidationJson(const PipelineConfig& config, const StateReport* state) {
  ordered_json datasets = ordered_json::array();
  for (const auto& [sink, schema] : SchemasOf(config)) {
    ordered_json columns = ordered_json::array();
    for (const auto& column : schema.columns) columns.push_back(ColumnJson(column));
    datasets.push_back({{"id", schema.dataset},
                        {"version", schema.version},
                        {"sink", sink.id},
                        {"schema_fp", format::SchemaFingerprint(schema)},
                        {"columns", std::move(columns)}});
  }
  ordered_json report = {{"config_hash", config.config_hash},
                         {"effective", config.effective},
                         {"datasets", std::move(datasets)},
                         {"memory", PlanJson(MemoryPlan(config))},
                         {"memory_limit", config.memory_bytes},
                         {"disk", PlanJson(DiskPlan(config))},
                         {"warnings", config.warnings},
                         {"run_refuses", RefusedByRun(config)}};
  if (state != nullptr) report["state"] = {{"facts", state->facts}, {"faults", state->faults}};
  return report.dump(2) + "\n";
}

}  // namespace tidemark::edge

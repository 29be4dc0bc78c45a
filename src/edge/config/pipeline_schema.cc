#include "edge/config/pipeline_schema.h"

#include "edge/config/read_sections.h"

namespace tidemark::edge {

namespace {

// Every form that a part of the file may take, so that the parser asks for all there is. Faults do
// not matter here.
constexpr char kEveryForm[] = R"yaml(
sources: [{ kind: file }, { kind: http, config: { tls: {} } }, { kind: mqtt, config: { topics: [{}] } }]
datasets:
  - identity: { any: {} }
    event_time: { from: "" }
    explode: { from: "", index: {} }
    fields: [{ type: timestamp }]
sinks:
  - kind: parquet
    config: { rotation: {} }
    chain: [{ enrich: { columns: [{ type: timestamp }] } }]
    quarantine: { rotation: {} }
    retention: {}
  - kind: object_store
)yaml";

// An item of that kind, and of no other.
void NameKinds(nlohmann::json& forms, const std::vector<std::string>& kinds) {
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    nlohmann::json& form = forms["items"]["anyOf"][i];
    form["properties"]["kind"] = {{"const", kinds[i]}};
    if (i > 0) form["required"].push_back("kind");  // the first is the default
  }
}

}  // namespace

std::string PipelineSchemaText() {
  Faults ignored("");
  nlohmann::json effective;
  nlohmann::json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                           {"title", "A pipeline of tidemark run"}};
  YamlMap root(YAML::Load(kEveryForm), "", effective, ignored);
  root.DescribeIn(schema);
  PipelineConfig config;
  ReadRoot(root, config);
  NameKinds(schema["properties"]["sources"], {"file", "http", "mqtt"});
  NameKinds(schema["properties"]["sinks"], {"parquet", "object_store"});
  schema["properties"]["sinks"]["minItems"] = 1;
  schema["required"].push_back("sinks");
  return schema.dump(2) + "\n";
}

}  // namespace tidemark::edge

#include <fmt/format.h>

#include "edge/config/read_sections.h"
#include "edge/dataset/topic_filter.h"

namespace tidemark::edge {

namespace {

void ReadMqtt(YamlMap& map, SourceConfig& source) {
  source.url = map.RequiredText("url");
  source.client_id = map.Text("client_id", "");
  source.user = map.Text("user", "");
  source.password_file = map.Text("password_file", "");
  source.ca_file = map.Text("ca_file", "");
  for (YamlMap& topic : map.List("topics")) {
    MqttTopic read;
    read.filter = topic.RequiredText("filter");
    read.qos = topic.Int("qos", 1, 0, 2);
    if (const Status valid = CheckTopicFilter(read.filter); !valid) {
      topic.Fault("filter", valid.error().message);
    }
    topic.Done();
    source.topics.push_back(std::move(read));
  }
  if (source.topics.empty()) map.Fault("topics", "a subscription is needed");
}

void ReadFile(YamlMap& map, SourceConfig& source) {
  source.paths = map.Texts("paths");
  if (source.paths.empty()) map.Fault("paths", "at least one path or pattern is needed");
  source.topic = map.Text("topic", "files/{basename}");
  source.follow = map.Bool("follow", false);
}

}  // namespace

SourceConfig ReadSource(YamlMap map) {
  SourceConfig source;
  source.id = map.RequiredText("id");
  CheckName(map, "id", source.id);
  const std::string kind = map.Choice("kind", "file", {"mqtt", "http", "file"});
  YamlMap config = map.Map("config");
  if (kind == "mqtt") {
    source.kind = SourceConfig::Kind::kMqtt;
    ReadMqtt(config, source);
  } else if (kind == "http") {
    source.kind = SourceConfig::Kind::kHttp;
    source.listen = config.RequiredText("listen");
    source.token_file = config.Text("token_file", "");
  } else {
    source.kind = SourceConfig::Kind::kFile;
    ReadFile(config, source);
  }
  config.Done();
  map.Done();
  return source;
}

}  // namespace tidemark::edge

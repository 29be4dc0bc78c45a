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

void ReadHttp(YamlMap& map, SourceConfig& source) {
  constexpr std::int64_t kBodyBytesMax = 1 << 30;
  constexpr std::int64_t kHour = 3'600;
  source.listen = map.RequiredText("listen");
  const auto address = CheckListen(map, source.listen);
  source.token_file = map.Text("token_file", "");
  if (map.Has("tls")) {
    YamlMap tls = map.Map("tls");
    source.tls_certificate_file = tls.RequiredText("certificate_file");
    source.tls_key_file = tls.RequiredText("key_file");
    tls.Done();
  }
  source.max_body_bytes = map.Int("max_body_bytes", source.max_body_bytes, 1, kBodyBytesMax);
  source.request_timeout_s = map.Int("request_timeout", source.request_timeout_s, 1, kHour);
  if (address && !address->IsLoopback() && source.token_file.empty()) {
    map.Fault("listen",
              fmt::format("{} is open to other machines: a `token_file` is needed; only a "
                          "loopback address does without",
                          source.listen));
  }
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
    ReadHttp(config, source);
  } else {
    source.kind = SourceConfig::Kind::kFile;
    ReadFile(config, source);
  }
  config.Done();
  map.Done();
  return source;
}

}  // namespace tidemark::edge

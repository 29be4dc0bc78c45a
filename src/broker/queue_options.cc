#include "broker/queue_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "format/json_text.h"

namespace tidemark::broker {

namespace {

constexpr std::int64_t kSecondsMax = 31'536'000LL * 100;

Result<std::int64_t> ReadSeconds(JsonCursor& json,
                                 std::string_view name,
                                 std::int64_t low,
                                 std::int64_t high) {
  TIDEMARK_TRY(const std::int64_t value, json.Integer());
  if (value < low || value > high) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("options.{} is {}; {} to {} is accepted", name, value, low, high));
  }
  return value;
}

Result<std::string> ReadSinkName(JsonCursor& json) {
  TIDEMARK_TRY(const std::string_view name, json.String());
  const bool plain = std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  });
  if (!plain || name.size() > 64) {
    return Fail(ErrorCode::kInvalidArgument,
                "options.retentionSinkHold takes up to 64 of A-Z a-z 0-9 . _ -");
  }
  return std::string(name);
}

Status ReadOption(JsonCursor& json, std::string_view name, QueueOptions& options) {
  const auto seconds = [&](std::int64_t low, std::int64_t high, std::int64_t& field) -> Status {
    TIDEMARK_TRY(field, ReadSeconds(json, name, low, high));
    return {};
  };
  if (name == "retentionEnabled") {
    TIDEMARK_TRY(options.retention_enabled, json.Bool());
    return {};
  }
  if (name == "retentionSeconds") return seconds(0, kSecondsMax, options.retention_seconds);
  if (name == "completedRetentionSeconds") {
    return seconds(0, kSecondsMax, options.completed_retention_seconds);
  }
  if (name == "maxWaitTimeSeconds") return seconds(0, kSecondsMax, options.max_wait_seconds);
  if (name == "dedupWindowSeconds") return seconds(0, kSecondsMax, options.dedup_window_seconds);
  if (name == "retentionSinkHoldMaxSeconds") {
    return seconds(60, 31'536'000, options.retention_sink_hold_max_seconds);
  }
  if (name == "retentionSinkHold") {
    TIDEMARK_TRY(options.retention_sink_hold, ReadSinkName(json));
    return {};
  }
  if (name == "encryptionEnabled") {
    TIDEMARK_TRY(const bool wanted, json.Bool());
    if (!wanted) return {};
    // Saying yes and storing plain text would be the worst answer.
    return Fail(ErrorCode::kInvalidArgument,
                "options.encryptionEnabled: this broker does not encrypt; encrypt its disk");
  }
  return json.Skip();
}

}  // namespace

Result<QueueOptions> ReadQueueOptions(JsonCursor& json) {
  QueueOptions options;
  TIDEMARK_TRY_VOID(json.ReadObject([&](std::string_view name) -> Status {
    TIDEMARK_TRY(const JsonType type, json.Peek());
    // Clients send null for what they leave unset.
    if (type == JsonType::kNull) return json.Skip();
    if (name == "namespace" || name == "task") {
      TIDEMARK_TRY(const std::string_view text, json.String());
      (name == "task" ? options.task : options.name_space) = text;
      return {};
    }
    return ReadOption(json, name, options);
  }));
  return options;
}

std::string RenderQueueOptions(const QueueOptions& options) {
  std::string out = R"({"namespace":)";
  format::AppendJsonString(options.name_space, out);
  out += R"(,"task":)";
  format::AppendJsonString(options.task, out);
  out +=
      fmt::format(R"(,"retentionEnabled":{},"retentionSeconds":{},"completedRetentionSeconds":{},)"
                  R"("maxWaitTimeSeconds":{},"dedupWindowSeconds":{},"retentionSinkHold":"{}",)"
                  R"("retentionSinkHoldMaxSeconds":{}}})",
                  options.retention_enabled,
                  options.retention_seconds,
                  options.completed_retention_seconds,
                  options.max_wait_seconds,
                  options.dedup_window_seconds,
                  options.retention_sink_hold,
                  options.retention_sink_hold_max_seconds);
  return out;
}

}  // namespace tidemark::broker

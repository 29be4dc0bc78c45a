#include "queen/requests.h"

#include <fmt/format.h>

#include <iterator>

#include "format/json_text.h"
#include "format/kv_documents.h"

namespace tidemark::queen {

namespace {

using format::AppendJsonString;

std::string OperationHead(std::string_view op, const std::string& key) {
  std::string text = fmt::format(R"({{"ns":"{}","op":"{}","key":)", format::kKvNamespace, op);
  AppendJsonString(key, text);
  return text;
}

}  // namespace

std::string EncodeFetch(const FetchRequest& request) {
  std::string queue;
  AppendJsonString(request.queue, queue);
  std::string text = R"({"entries":[)";
  for (const auto& entry : request.entries) {
    text += text.ends_with('[') ? R"({"queue":)" : R"(,{"queue":)";
    text += queue;
    text += R"(,"partition":)";
    AppendJsonString(entry.partition, text);
    fmt::format_to(std::back_inserter(text),
                   R"(,"offset":{},"maxBytes":{}}})",
                   entry.offset.value(),
                   entry.max_bytes);
  }
  fmt::format_to(
      std::back_inserter(text), R"(],"maxWaitMs":{},"minBytes":1}})", request.max_wait_ms);
  return text;
}

std::string EncodeDiscovery(const std::vector<DiscoveryEntry>& entries) {
  std::string text = R"({"entries":[)";
  for (const auto& entry : entries) {
    text += text.ends_with('[') ? R"({"queue":)" : R"(,{"queue":)";
    AppendJsonString(entry.queue, text);
    text += R"(,"since":)";
    text += entry.since ? fmt::format("\"{}\"", FormatIso(*entry.since)) : "null";
    text += R"(,"after":)";
    if (entry.after.empty()) {
      text += "null";
    } else {
      AppendJsonString(entry.after, text);
    }
    fmt::format_to(std::back_inserter(text), R"(,"limit":{}}})", entry.limit);
  }
  return text + "]}";
}

std::string EncodeKvGetMany(const std::vector<std::string>& keys) {
  std::string text =
      fmt::format(R"({{"operations":[{{"ns":"{}","op":"getMany","keys":[)", format::kKvNamespace);
  for (const auto& key : keys) {
    if (!text.ends_with('[')) text += ',';
    AppendJsonString(key, text);
  }
  return text + "]}]}";
}

std::string EncodeKvGetPrefix(const std::string& prefix) {
  std::string text = fmt::format(R"({{"operations":[{{"ns":"{}","op":"getPrefix","prefix":)",
                                 format::kKvNamespace);
  AppendJsonString(prefix, text);
  return text + R"(,"limit":1000}]})";
}

std::string EncodeKvPuts(const std::vector<KvPut>& puts, bool required) {
  std::string text = R"({"operations":[)";
  for (const auto& put : puts) {
    if (!text.ends_with('[')) text += ',';
    text += OperationHead("put", put.key);
    text += R"(,"value":)";
    text += put.value;
    text += put.ttl_seconds ? fmt::format(R"(,"ttlSeconds":{})", *put.ttl_seconds)
                            : R"(,"forever":true)";
    if (put.expect) fmt::format_to(std::back_inserter(text), R"(,"expect":{})", *put.expect);
    text += required ? R"(,"required":true})" : "}";
  }
  return text + "]}";
}

std::string EncodeKvDelete(const std::string& key, std::int64_t expect) {
  return fmt::format(
      R"({{"operations":[{},"expect":{}}}]}})", OperationHead("delete", key), expect);
}

}  // namespace tidemark::queen

#include "broker/push_request.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "format/json_text.h"

namespace tidemark::broker {

namespace {

Status CheckName(const JsonCursor& json, std::string_view what, std::string_view name) {
  if (name.empty()) return json.Wrong(fmt::format("{} is empty", what));
  if (name.size() > kNameBytesMax) return json.Wrong(fmt::format("{} is too long", what));
  if (name.find('\0') != std::string_view::npos) return json.Wrong(fmt::format("NUL in {}", what));
  return {};
}

}  // namespace

Result<std::string> ReadName(JsonCursor& json, std::string_view what) {
  TIDEMARK_TRY(const JsonType type, json.Peek());
  if (type == JsonType::kNumber) {
    TIDEMARK_TRY(const std::int64_t number, json.Integer());
    return fmt::format("{}", number);
  }
  TIDEMARK_TRY(const std::string_view name, json.String());
  TIDEMARK_TRY_VOID(CheckName(json, what, name));
  return std::string(name);
}

Result<PushRequest> PushRequest::Parse(std::string body) {
  PushRequest request;
  request.body_ = std::make_unique<std::string>(std::move(body));
  if (!IsUtf8(*request.body_)) return Fail(ErrorCode::kInvalidArgument, "the body is not UTF-8");
  request.json_ = std::make_unique<JsonCursor>(*request.body_);
  JsonCursor& json = *request.json_;

  bool has_items = false;
  TIDEMARK_TRY_VOID(json.ReadObject([&](std::string_view key) -> Status {
    if (key != "items") return json.Skip();
    if (std::exchange(has_items, true)) return json.Wrong("items given twice");
    return json.ReadArray([&] { return request.ReadItem(json); });
  }));
  TIDEMARK_TRY_VOID(json.End());
  if (!has_items) return Fail(ErrorCode::kInvalidArgument, "items is missing");

  // Grouped here, off the writer thread: it then looks each lane up once.
  for (std::size_t i = 0; i < request.items_.size(); ++i) {
    request.lanes_[request.items_[i].lane].items.push_back(i);
  }
  return request;
}

Status PushRequest::ReadItem(JsonCursor& json) {
  if (items_.size() >= kPushItemsMax) return json.Wrong("more than 200000 items");
  std::optional<std::string_view> queue;
  std::string_view partition = "Default";
  std::optional<std::string_view> payload;
  std::string_view transaction_id;

  TIDEMARK_TRY_VOID(json.ReadObject([&](std::string_view key) -> Status {
    if (key == "payload") {
      TIDEMARK_TRY(payload, json.Raw());
      return {};
    }
    TIDEMARK_TRY(const JsonType type, json.Peek());
    if (type == JsonType::kNull) return json.Skip();
    if (key == "queue") {
      TIDEMARK_TRY(queue, json.String());
      return CheckName(json, "queue", *queue);
    }
    if (key == "partition") {
      if (type == JsonType::kNumber) {
        TIDEMARK_TRY(const std::int64_t number, json.Integer());
        partition = *made_.emplace_back(std::make_unique<std::string>(fmt::format("{}", number)));
        return {};
      }
      TIDEMARK_TRY(partition, json.String());
      return CheckName(json, "partition", partition);
    }
    if (key == "transactionId") {
      TIDEMARK_TRY(transaction_id, json.String());
      if (transaction_id.size() > kTransactionIdBytesMax)
        return json.Wrong("transactionId too long");
      if (transaction_id.find('\0') != std::string_view::npos)
        return json.Wrong("NUL in transactionId");
      return {};
    }
    return json.Skip();
  }));
  if (!queue) return json.Wrong(fmt::format("items[{}] has no queue", items_.size()));
  if (!payload) return json.Wrong(fmt::format("items[{}] has no payload", items_.size()));

  const std::pair key(*queue, partition);
  auto [lane, is_new] = lane_index_.try_emplace(key, lanes_.size());
  if (is_new) lanes_.push_back({.queue = *queue, .partition = partition, .items = {}});
  items_.push_back({.transaction_id = transaction_id, .payload = *payload, .lane = lane->second});
  return {};
}

std::string MessageIdText(const Hash128& id) {
  const std::uint64_t high = (id.high & ~std::uint64_t{0xF000}) | 0x8000;
  const std::uint64_t low = (id.low & ~(std::uint64_t{3} << 62)) | (std::uint64_t{1} << 63);
  return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
                     high >> 32,
                     (high >> 16) & 0xFFFF,
                     high & 0xFFFF,
                     low >> 48,
                     low & 0xFFFF'FFFF'FFFF);
}

std::string RenderPushAnswer(const PushRequest& request, const std::vector<PushOutcome>& outcomes) {
  std::string out = "[";
  std::string id_json;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const PushItem& item = request.items()[i];
    const std::string message_id = MessageIdText(outcomes[i].message_id);
    id_json.clear();
    format::AppendJsonString(item.transaction_id.empty() ? message_id : item.transaction_id,
                             id_json);
    if (i > 0) out += ',';
    out += R"({"index":)";
    out += fmt::format_int(i).c_str();
    out += R"(,"message_id":")";
    out += message_id;
    out += R"(","transaction_id":)";
    out += id_json;
    out += R"(,"transactionId":)";
    out += id_json;
    out += R"(,"queueName":)";
    format::AppendJsonString(request.lanes()[item.lane].queue, out);
    out += outcomes[i].duplicate ? R"(,"status":"duplicate"})" : R"(,"status":"queued"})";
  }
  out += ']';
  return out;
}

}  // namespace tidemark::broker

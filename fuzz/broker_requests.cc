// broker: bodies of requests. What is stored of them is spliced into answers, so what the broker
// takes for JSON must be JSON to another parser too.

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/check.h"
#include "broker/discovery.h"
#include "broker/fetch_request.h"
#include "broker/json_cursor.h"
#include "broker/kv_batch.h"
#include "broker/push_request.h"
#include "broker/queue_options.h"

namespace tidemark::fuzz {

namespace {

// The other parser refuses a number beyond a double's range and a lone surrogate, which are JSON
// none the less: it is not asked about texts that may hold one.
bool MayRefuseJson(std::string_view text) {
  return text.size() > 300 || text.find_first_of("eE") != std::string_view::npos ||
         text.contains("\\ud") || text.contains("\\uD");
}

void CheckJson(std::string_view text) {
  TIDEMARK_CHECK(MayRefuseJson(text) || nlohmann::json::accept(text), "{}", text);
}

void ReadWhole(std::string_view bytes) {
  if (!broker::IsUtf8(bytes)) return;
  broker::JsonCursor json(bytes);
  if (json.Skip() && json.End()) CheckJson(bytes);
}

void ReadPush(std::string_view bytes) {
  const auto push = broker::PushRequest::Parse(std::string(bytes));
  if (!push) return;
  std::size_t items = 0;
  for (const broker::PushLane& lane : push->lanes()) items += lane.items.size();
  TIDEMARK_CHECK(items == push->items().size(), "each item is in one lane");
  for (const broker::PushItem& item : push->items()) CheckJson(item.payload);
}

void ReadOptions(std::string_view bytes) {
  broker::JsonCursor json(bytes);
  const auto options = broker::ReadQueueOptions(json);
  if (!options) return;
  const std::string rendered = broker::RenderQueueOptions(*options);
  broker::JsonCursor again(rendered);
  TIDEMARK_CHECK(broker::ReadQueueOptions(again).value() == *options, "{}", rendered);
}

}  // namespace

void BrokerRequests(std::string_view bytes) {
  ReadWhole(bytes);
  ReadPush(bytes);
  if (broker::IsUtf8(bytes)) ReadOptions(bytes);
  if (const auto fetch = broker::ParseFetch(bytes)) {
    for (const auto& entry : fetch->entries) TIDEMARK_CHECK(entry.offset >= Offset(0), "offset");
  }
  IgnoreError(broker::ParseDiscovery(bytes), "nothing to compare with");
  IgnoreError(broker::ParseCursor(bytes, true), "nothing to compare with");
  IgnoreError(broker::ParseCursor(bytes, false), "nothing to compare with");
  if (const auto ops = broker::ParseKvBatch(bytes)) {
    for (const broker::KvOp& op : *ops) {
      if (op.kind == broker::KvOpKind::kPut) CheckJson(op.value);
    }
  }
}

}  // namespace tidemark::fuzz

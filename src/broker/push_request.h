#pragma once
// The body of POST /api/v1/push, read once, strictly, and grouped by lane; and its answer
// (queen-interface 1.5).

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "broker/json_cursor.h"
#include "broker/siphash.h"

namespace tidemark::broker {

// Bounds of ours; the broker this stands in for states none.
inline constexpr std::size_t kPushItemsMax = 200'000;
inline constexpr std::size_t kNameBytesMax = 1024;
inline constexpr std::size_t kTransactionIdBytesMax = 4096;

struct PushItem {
  std::string_view transaction_id;  // empty: one is minted
  std::string_view payload;         // the JSON value's own text
  std::size_t lane = 0;
};

struct PushLane {
  std::string_view queue;
  std::string_view partition;
  std::vector<std::size_t> items;  // ascending positions in PushRequest::items
};

// Owns the body that all its texts are slices of.
class PushRequest {
 public:
  // kInvalidArgument, with the reason, for a body that breaks any rule: nothing of it is then
  // written.
  static Result<PushRequest> Parse(std::string body);

  const std::vector<PushItem>& items() const { return items_; }

  const std::vector<PushLane>& lanes() const { return lanes_; }

  std::size_t body_bytes() const { return body_->size(); }

 private:
  PushRequest() = default;
  Status ReadItem(JsonCursor& json);

  // On the heap, so that slices stay valid when the request is moved (a short string lives inside
  // its object).
  std::unique_ptr<std::string> body_;
  std::unique_ptr<JsonCursor> json_;
  std::vector<std::unique_ptr<std::string>> made_;
  std::vector<PushItem> items_;
  std::vector<PushLane> lanes_;
  std::map<std::pair<std::string_view, std::string_view>, std::size_t> lane_index_;
};

struct PushOutcome {
  Hash128 message_id;
  bool duplicate = false;
};

// `id` as a UUID (version 8: custom).
std::string MessageIdText(const Hash128& id);

// The bare array in item order; one outcome an item.
std::string RenderPushAnswer(const PushRequest& request, const std::vector<PushOutcome>& outcomes);

// A name in a request: a string, or an integer that stands for its decimal form. kInvalidArgument:
// empty, longer than kNameBytesMax or with a NUL in it.
Result<std::string> ReadName(JsonCursor& json, std::string_view what);

}  // namespace tidemark::broker

#include "broker/fetch_request.h"

#include <fmt/format.h>

#include <algorithm>

#include "broker/json_cursor.h"
#include "broker/push_request.h"

namespace tidemark::broker {

namespace {

Result<FetchEntry> ReadFetchEntry(JsonCursor& json) {
  FetchEntry entry;
  bool has_offset = false;
  TIDEMARK_TRY_VOID(json.ReadObject([&](std::string_view key) -> Status {
    TIDEMARK_TRY(const JsonType type, json.Peek());
    if (type == JsonType::kNull) return json.Skip();
    if (key == "queue") {
      TIDEMARK_TRY(entry.queue, ReadName(json, "queue"));
    } else if (key == "partition") {
      TIDEMARK_TRY(entry.partition, ReadName(json, "partition"));
    } else if (key == "offset") {
      TIDEMARK_TRY(const std::int64_t offset, json.Integer());
      if (offset < 0) return json.Wrong("negative offset");
      entry.offset = Offset(offset);
      has_offset = true;
    } else if (key == "maxBytes") {
      TIDEMARK_TRY(const std::int64_t bytes, json.Integer());
      entry.max_bytes = std::clamp<std::int64_t>(bytes, 1, 8 << 20);
    } else {
      return json.Skip();
    }
    return {};
  }));
  if (entry.queue.empty()) return json.Wrong("entry without queue");
  if (!has_offset) return json.Wrong("entry without offset");
  return entry;
}

Result<DiscoveryEntry> ReadDiscoveryEntry(JsonCursor& json) {
  DiscoveryEntry entry;
  TIDEMARK_TRY_VOID(json.ReadObject([&](std::string_view key) -> Status {
    TIDEMARK_TRY(const JsonType type, json.Peek());
    if (type == JsonType::kNull) return json.Skip();
    if (key == "queue") {
      TIDEMARK_TRY(entry.queue, ReadName(json, "queue"));
    } else if (key == "since") {
      TIDEMARK_TRY(const std::string_view text, json.String());
      const auto since = ParseIso(text);
      if (!since) return Annotate(since.error(), "since");
      entry.since = *since;
    } else if (key == "after") {
      TIDEMARK_TRY(entry.after, json.String());
    } else if (key == "limit") {
      TIDEMARK_TRY(const std::int64_t limit, json.Integer());
      entry.limit = static_cast<std::size_t>(std::clamp<std::int64_t>(limit, 1, 1000));
    } else {
      return json.Skip();
    }
    return {};
  }));
  if (entry.queue.empty()) return json.Wrong("entry without queue");
  return entry;
}

// Reads `entries` by `read` and hands every other member to `other`.
template <typename Entry, typename Other>
Result<std::vector<Entry>> ReadEntries(std::string_view body,
                                       std::size_t entries_max,
                                       Result<Entry> (*read)(JsonCursor&),
                                       Other other) {
  if (!IsUtf8(body)) return Fail(ErrorCode::kInvalidArgument, "the body is not UTF-8");
  JsonCursor json(body);
  std::vector<Entry> entries;
  TIDEMARK_TRY_VOID(json.ReadObject([&](std::string_view key) -> Status {
    TIDEMARK_TRY(const JsonType type, json.Peek());
    if (type == JsonType::kNull) return json.Skip();
    if (key != "entries") return other(json, key);
    return json.ReadArray([&]() -> Status {
      if (entries.size() >= entries_max) {
        return json.Wrong(fmt::format("more than {} entries", entries_max));
      }
      TIDEMARK_TRY(Entry entry, read(json));
      entries.push_back(std::move(entry));
      return {};
    });
  }));
  TIDEMARK_TRY_VOID(json.End());
  return entries;
}

}  // namespace

Result<FetchRequest> ParseFetch(std::string_view body) {
  FetchRequest request;
  const auto other = [&](JsonCursor& json, std::string_view key) -> Status {
    if (key == "maxWaitMs") {
      TIDEMARK_TRY(const std::int64_t wait, json.Integer());
      request.max_wait_ms = std::clamp<std::int64_t>(wait, 0, 30'000);
    } else if (key == "minBytes") {
      TIDEMARK_TRY(const std::int64_t bytes, json.Integer());
      request.min_bytes = std::max<std::int64_t>(bytes, 0);
    } else {
      return json.Skip();
    }
    return {};
  };
  TIDEMARK_TRY(request.entries,
               ReadEntries(body, FetchRequest::kEntriesMax, &ReadFetchEntry, other));
  return request;
}

Result<std::vector<DiscoveryEntry>> ParseDiscovery(std::string_view body) {
  return ReadEntries(
      body, kDiscoveryEntriesMax, &ReadDiscoveryEntry, [](JsonCursor& json, std::string_view) {
        return json.Skip();
      });
}

}  // namespace tidemark::broker

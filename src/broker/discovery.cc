#include "broker/discovery.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "format/json_text.h"

namespace tidemark::broker {

namespace {

void AppendPartition(const ListedPartition& partition, std::string& out) {
  out += R"({"name":)";
  format::AppendJsonString(partition.name, out);
  out += fmt::format(R"(,"lastOffset":{},"logStart":{},"lastWriteAt":"{}"}})",
                     partition.state.next.value() - 1,
                     partition.state.log_start.value(),
                     FormatIso(partition.state.last_write_at));
}

void AppendEntry(const Catalog& catalog, const DiscoveryEntry& entry, std::string& out) {
  out += R"({"queue":)";
  format::AppendJsonString(entry.queue, out);
  const bool with_since = entry.since.has_value();
  std::optional<DiscoveryCursor> after;
  if (!entry.after.empty()) {
    const auto cursor = ParseCursor(entry.after, with_since);
    if (!cursor) {
      out += R"(,"error":"BAD_CURSOR"})";
      return;
    }
    after = *cursor;
  }
  const auto page = with_since
                        ? catalog.PageByWriteTime(entry.queue, *entry.since, after, entry.limit)
                        : catalog.PageByName(entry.queue, after, entry.limit);
  if (!page) {
    out += R"(,"error":"UNKNOWN_TOPIC_OR_PARTITION"})";
    return;
  }
  out += R"(,"partitions":[)";
  for (std::size_t i = 0; i < page->size(); ++i) {
    if (i > 0) out += ',';
    AppendPartition((*page)[i], out);
  }
  out += R"(],"next":)";
  // A full page may be the last one; the client finds out by asking.
  if (page->size() == entry.limit) {
    format::AppendJsonString(RenderCursor(page->back(), with_since), out);
  } else {
    out += "null";
  }
  out += '}';
}

}  // namespace

Result<DiscoveryCursor> ParseCursor(std::string_view text, bool with_since) {
  const auto bad = [&] {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("\"{}\" is not a cursor of this mode", text));
  };
  if (text.substr(0, 2) != (with_since ? "t|" : "n|")) return bad();
  text.remove_prefix(2);
  DiscoveryCursor cursor;
  if (with_since) {
    std::int64_t micros = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), micros);
    const auto size = static_cast<std::size_t>(end - text.data());
    if (error != std::errc() || size >= text.size() || text[size] != '|') return bad();
    cursor.last_write_at = Micros(micros);
    text.remove_prefix(size + 1);
  }
  if (text.empty()) return bad();
  cursor.name = text;
  return cursor;
}

std::string RenderCursor(const ListedPartition& last, bool with_since) {
  if (!with_since) return fmt::format("n|{}", last.name);
  return fmt::format("t|{}|{}", last.state.last_write_at.value(), last.name);
}

std::string RenderDiscovery(const Catalog& catalog,
                            const std::vector<DiscoveryEntry>& entries,
                            Micros safe_time) {
  std::string out = fmt::format(R"({{"safeTime":"{}","safeTimeDegraded":false,"entries":[)",
                                FormatIso(safe_time));
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (i > 0) out += ',';
    AppendEntry(catalog, entries[i], out);
  }
  out += "]}";
  return out;
}

}  // namespace tidemark::broker

#include "verify/inspect.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <vector>

#include "base/digest.h"
#include "datafile/reader.h"
#include "format/checkpoint.h"
#include "format/kv_documents.h"
#include "format/manifest.h"
#include "format/object_key.h"
#include "verify/inspect_rejects.h"
#include "verify/printable.h"

namespace tidemark::verify {

namespace {

constexpr std::array<std::string_view, 4> kDataExtensions{
    "jsonl.zst", "jsonl.gz", "jsonl", "parquet"};
constexpr std::size_t kCellBytesMax = 100;

template <typename... Args>
void Line(std::string& out, fmt::format_string<Args...> text, Args&&... args) {
  fmt::format_to(std::back_inserter(out), text, std::forward<Args>(args)...);
  out += '\n';
}

std::string Cell(std::string_view text) { return Printable(text, kCellBytesMax); }

void AppendRest(std::string& out, std::int64_t all, std::int64_t shown, std::string_view what) {
  if (all > shown) Line(out, "… and {} more {}", all - shown, what);
}

void AppendBytes(std::string& out, std::string_view bytes) {
  Line(out, "  {} bytes, SHA-256 {}", bytes.size(), ToHex(Sha256Of(bytes)));
}

struct RowText {
  std::string partition;
  std::int64_t offset;
  Micros ts;
  std::string transaction_id;
  std::string payload;
};

struct DataFacts {
  std::int64_t records = 0;
  std::int64_t partitions = 0;
  std::int64_t without_payload = 0;
  Micros min_ts = kPlusInfinity;
  Micros max_ts = kMinusInfinity;
  std::string last_partition;
  std::vector<RowText> rows;

  void Take(const format::RecordView& row, std::int64_t rows_max) {
    if (records == 0 || row.partition != last_partition) {
      ++partitions;
      last_partition = row.partition;
    }
    without_payload += row.has_payload() ? 0 : 1;
    min_ts = std::min(min_ts, row.ts);
    max_ts = std::max(max_ts, row.ts);
    if (records++ >= rows_max) return;
    rows.push_back({Cell(row.partition),
                    row.offset.value(),
                    row.ts,
                    Cell(row.transaction_id),
                    row.has_payload() ? Cell(row.payload) : "NULL"});
  }
};

void AppendRows(const DataFacts& facts, std::string& out) {
  std::size_t partition_width = std::string_view("partition").size();
  std::size_t id_width = std::string_view("transactionId").size();
  for (const auto& row : facts.rows) {
    partition_width = std::max(partition_width, row.partition.size());
    id_width = std::max(id_width, row.transaction_id.size());
  }
  out += '\n';
  Line(out,
       "{:<{}}  {:>12}  {:<27}  {:<{}}  payload",
       "partition",
       partition_width,
       "offset",
       "ts",
       "transactionId",
       id_width);
  for (const auto& row : facts.rows) {
    Line(out,
         "{:<{}}  {:>12}  {}  {:<{}}  {}",
         row.partition,
         partition_width,
         row.offset,
         FormatIso(row.ts),
         row.transaction_id,
         id_width,
         row.payload);
  }
  AppendRest(out, facts.records, static_cast<std::int64_t>(facts.rows.size()), "rows");
}

// What the key says, when the name is a whole key; a file name alone says less.
void AppendKey(std::string_view name, std::string& out) {
  const auto queue_at = name.rfind("queue=");
  if (queue_at == std::string_view::npos) return;
  const auto parts = format::ParseDataKey("", name.substr(queue_at));
  if (!parts) {
    Line(out, "  the key is not as the contract says: {}", parts.error().message);
    return;
  }
  Line(out,
       "  window {} of queue {}: {} to {}",
       parts->window.k.value(),
       Cell(parts->queue),
       FormatIso(parts->window.start),
       FormatIso(parts->window.end));
  if (!parts->lane) return;
  Line(out,
       "  partition {}, offsets {} to {}",
       Cell(parts->lane->partition),
       parts->lane->first.value(),
       parts->lane->last.value());
}

Result<std::string> InspectData(std::string_view name,
                                std::string_view extension,
                                std::string_view bytes,
                                std::int64_t rows_max) {
  DataFacts facts;
  TIDEMARK_TRY(const auto summary,
               datafile::ReadObject(extension, bytes, [&](const format::RecordView& row) {
                 facts.Take(row, rows_max);
                 return true;
               }));
  std::string out;
  Line(out, "data object ({}): {}", extension, name);
  AppendKey(name, out);
  AppendBytes(out, bytes);
  Line(out,
       "  {} records of {} partitions, {} without payload",
       facts.records,
       facts.partitions,
       facts.without_payload);
  if (facts.records > 0) {
    Line(out, "  ts from {} to {}", FormatIso(facts.min_ts), FormatIso(facts.max_ts));
  }
  if (extension == "parquet") {
    Line(out,
         "  created by {}, queen.envelope {}, queen.queue {}",
         summary.created_by,
         summary.footer_envelope.value_or("(none)"),
         summary.footer_queue.value_or("(none)"));
  }
  if (rows_max > 0) AppendRows(facts, out);
  return out;
}

Result<std::string> InspectManifest(const format::Manifest& m, std::int64_t rows_max) {
  std::string out;
  Line(out,
       "manifest of window {} of queue {} (sink {})",
       m.window.k.value(),
       Cell(m.queue),
       Cell(m.sink));
  Line(out, "  {} to {}", FormatIso(m.window.start), FormatIso(m.window.end));
  Line(out,
       "  {}, compression {}, layout {}, by {}",
       Cell(m.format),
       Cell(m.compression),
       Cell(m.layout),
       Cell(m.writer));
  Line(out, "  {} records of {} partitions, {} bytes", m.records, m.partitions, m.bytes);
  if (m.min_ts && m.max_ts) {
    Line(out, "  ts from {} to {}", FormatIso(*m.min_ts), FormatIso(*m.max_ts));
  }
  Line(out, "  committed at {} by the sink's clock", FormatIso(m.committed_at));
  Line(out, "objects: {}", m.objects.size());
  std::int64_t shown = 0;
  for (const auto& object : m.objects) {
    if (shown++ >= rows_max) break;
    Line(out, "  {}", Printable(object.key));
    Line(out,
         "    {} records, {} bytes, SHA-256 {}",
         object.records,
         object.bytes,
         Cell(object.sha256));
  }
  AppendRest(out, static_cast<std::int64_t>(m.objects.size()), rows_max, "objects");
  Line(out, "lost: {}", m.lost.empty() ? "none" : fmt::format("{} ranges", m.lost.size()));
  for (const auto& range : m.lost) {
    Line(out,
         "  partition {}, offsets {} to {}",
         Cell(range.partition),
         range.from.value(),
         range.to.value());
  }
  return out;
}

Result<std::string> InspectCheckpoint(std::string_view bytes, std::int64_t rows_max) {
  TIDEMARK_TRY(const auto checkpoint, format::DecodeCheckpoint(bytes));
  std::string out;
  Line(out,
       "checkpoint of window {}, which ends at {}",
       checkpoint.k.value(),
       FormatIso(checkpoint.t_end));
  AppendBytes(out, bytes);
  Line(out, "the next window reads {} partitions from:", checkpoint.positions.size());
  std::int64_t shown = 0;
  for (const auto& position : checkpoint.positions) {
    if (shown++ >= rows_max) break;
    Line(out, "  {:>12}  {}", position.next.value(), Cell(position.partition));
  }
  AppendRest(out, static_cast<std::int64_t>(checkpoint.positions.size()), rows_max, "partitions");
  return out;
}

Result<std::string> InspectComplete(std::string_view bytes) {
  TIDEMARK_TRY(const auto complete, format::DecodeComplete(bytes));
  std::string out;
  Line(out,
       "queue {} is complete through {} (window {}, {} offsets lost), written {}",
       Cell(complete.queue),
       FormatIso(complete.complete_through),
       complete.k.value(),
       complete.lost,
       FormatIso(complete.updated_at));
  return out;
}

Result<std::string> InspectLost(std::string_view bytes) {
  TIDEMARK_TRY(const auto lost, format::DecodeLostRanges(bytes));
  std::string out;
  Line(out, "lost ranges of a window: {}", lost.size());
  for (const auto& range : lost) {
    Line(out,
         "  partition {}, offsets {} to {}",
         Cell(range.partition),
         range.from.value(),
         range.to.value());
  }
  return out;
}

}  // namespace

Result<std::string> Inspect(std::string_view name, std::string_view bytes, std::int64_t rows_max) {
  for (const auto extension : kDataExtensions) {
    if (name.ends_with(fmt::format(".{}", extension))) {
      return InspectData(name, extension, bytes, rows_max);
    }
  }
  if (name.ends_with(".json.zst")) return InspectCheckpoint(bytes, rows_max);
  if (name.ends_with("rejects.log")) return InspectRejects(bytes, rows_max);
  if (name.ends_with("complete.json")) return InspectComplete(bytes);
  if (name.ends_with(".json") && bytes.starts_with('[')) return InspectLost(bytes);
  if (name.ends_with(".json")) {
    TIDEMARK_TRY(const auto manifest, format::DecodeManifest(bytes));
    return InspectManifest(manifest, rows_max);
  }
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("\"{}\" does not end like anything a lake or a sink holds: .jsonl.zst, "
                          ".jsonl.gz, .jsonl, .parquet, .json (manifest), .json.zst (checkpoint), "
                          "rejects.log",
                          name));
}

}  // namespace tidemark::verify

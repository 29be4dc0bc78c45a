#include "edge/wal/log_walk.h"

#include <fmt/format.h>
#include <simdjson.h>

#include "base/digest.h"
#include "format/json_text.h"
#include "format/source_token.h"

namespace tidemark::edge {

namespace {

// Visits the whole groups of one segment; false when the visitor has seen enough.
Result<bool> WalkSegment(io::FileSystem& files,
                         const SegmentScan& segment,
                         const RecordVisitor& visit) {
  TIDEMARK_TRY(auto file, SegmentFile::Open(files, segment.path));
  Position last = segment.first() - 1;
  bool wanted = true;
  const auto each = [&](const format::WalRecord& record, std::int64_t) {
    wanted = wanted && visit(record);
  };
  for (std::int64_t offset = segment.start->bytes; wanted && offset < segment.end;) {
    TIDEMARK_TRY(const auto group,
                 CheckGroup(file, offset, segment.start->header.epoch, last + 1, each));
    if (group.fault) return Fail(ErrorCode::kCorruption, group.fault->what);
    last = last + group.header.frames;
    offset = group.end;
  }
  return wanted;
}

void AppendField(std::string_view name, std::string_view text, std::string& out) {
  out += fmt::format(",\"{}\":", name);
  format::AppendJsonString(text, out);
}

}  // namespace

Status WalkRecords(io::FileSystem& files,
                   const LogScan& scan,
                   Position from,
                   const RecordVisitor& visit) {
  const auto behind = [&](const format::WalRecord& record) {
    return record.position < from || visit(record);
  };
  for (const SegmentScan& segment : scan.segments) {
    if (!segment.start || segment.last < from) continue;
    TIDEMARK_TRY(const bool wanted, WalkSegment(files, segment, behind));
    if (!wanted) return {};
  }
  return {};
}

Result<format::TokenTable> TokensAtEnd(io::FileSystem& files,
                                       const LogScan& scan,
                                       std::size_t segment) {
  while (!scan.segments[segment].start) {
    if (segment == 0) return format::TokenTable();
    --segment;
  }
  const SegmentScan& found = scan.segments[segment];
  format::TokenTable tokens = found.start->header.tokens;
  const auto place = [&](const format::WalRecord& record) {
    format::PlaceToken(record, tokens);
    return true;
  };
  TIDEMARK_TRY(const bool ended, WalkSegment(files, found, place));
  IgnoreError(Result<bool>(ended), "it wants all");
  return tokens;
}

std::string RecordLine(const format::WalRecord& record) {
  std::string line = fmt::format(R"({{"position":{},"ingest_time":"{}","clock_synced":{})",
                                 record.position.value(),
                                 FormatIso(record.ingest_time),
                                 record.clock_synced);
  AppendField("source", record.source, line);
  AppendField("topic", record.topic, line);
  if (!record.token.empty()) AppendField("token_hex", ToHex(record.token), line);
  if (record.full_bytes != 0) line += fmt::format(",\"full_bytes\":{}", record.full_bytes);
  if (simdjson::validate_utf8(record.payload)) {
    AppendField("payload", record.payload, line);
  } else {
    AppendField("payload_base64", ToBase64(record.payload), line);
  }
  line += "}\n";
  return line;
}

std::string ScanText(const std::string& folder, const LogScan& scan) {
  if (!scan.epoch) return fmt::format("{}: no write-ahead log\n", folder);
  std::string text = fmt::format("{}: epoch {:016x}, durable through position {}, ends at {}\n",
                                 folder,
                                 scan.epoch->value(),
                                 scan.durable.value(),
                                 scan.end.value());
  for (const SegmentScan& segment : scan.segments) {
    const bool empty = segment.last < segment.first();
    text += fmt::format(
        "  {}  {}  {} groups, {} bytes\n",
        segment.path.substr(segment.path.rfind('/') + 1),
        empty ? "no position"
              : fmt::format("positions {} to {}", segment.first().value(), segment.last.value()),
        segment.groups,
        segment.bytes);
  }
  for (const WalHole& hole : scan.holes) {
    text +=
        fmt::format("lost: positions {} to {}, as noted\n", hole.first.value(), hole.last.value());
  }
  if (scan.torn) {
    text += fmt::format(
        "torn: what stands at byte {} of the last segment ({}) was never acknowledged, "
        "or is being written; the next start cuts it\n",
        scan.torn->offset,
        scan.torn->what);
  }
  for (const WalDamage& damage : scan.damage) text += "DAMAGED: " + Describe(damage) + "\n";
  return text;
}

}  // namespace tidemark::edge

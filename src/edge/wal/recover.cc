// Steps, each safe to be repeated:
//
//   1. judge     ScanLog; damage at or below what was durable ends here.
//   2. aside     what was cut is copied into a file of its own, if there is room for it.
//   3. tail      whole groups that nothing vouches for: copied into a new segment, synced, and only
//                then given the name. The old copies do not count any more: the new segment begins
//                where they began. Without a tail this is the empty segment to be written next.
//   4. skip      a log that ends below its cursor: an empty segment behind the cursor that says so.
//
// No byte of an old segment is changed.

#include "edge/wal/recover.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/check.h"
#include "format/wal_frame.h"
#include "io/durable_folders.h"
#include "io/lock_file.h"

namespace tidemark::edge {

namespace {

// What lies in the last segment, apart by what vouches for it.
struct Tail {
  format::TokenTable tokens;  // as of the last durable position
  std::vector<std::pair<format::TokenTable::key_type, std::string>> later_tokens;
  std::string frames;  // not vouched for
  std::uint32_t count = 0;
};

Result<Tail> ReadTail(io::FileSystem& files, const SegmentScan& last, Position durable) {
  Tail tail{.tokens = last.start->header.tokens, .later_tokens = {}, .frames = {}};
  TIDEMARK_TRY(auto file, SegmentFile::Open(files, last.path));
  Position position = last.first() - 1;
  const auto keep = [&](const format::WalRecord& record, std::int64_t) {
    if (record.position <= durable) return format::PlaceToken(record, tail.tokens);
    format::EncodeFrame(record, tail.frames);
    ++tail.count;
    format::TokenTable one;
    format::PlaceToken(record, one);
    for (auto& entry : one) tail.later_tokens.emplace_back(entry.first, std::move(entry.second));
  };
  for (std::int64_t offset = last.start->bytes; offset < last.end;) {
    TIDEMARK_TRY(const auto group,
                 CheckGroup(file, offset, last.start->header.epoch, position + 1, keep));
    TIDEMARK_CHECK(!group.fault, "{} changed while it was opened", last.path);
    position = position + group.header.frames;
    offset = group.end;
  }
  return tail;
}

// The frames as one group, and the mark that vouches for them.
std::string TailGroups(const Tail& tail, Epoch epoch, Position durable) {
  std::string groups;
  if (tail.count == 0) return groups;
  format::WalGroupHeader header{.epoch = epoch,
                                .frames = tail.count,
                                .bytes = tail.frames.size(),
                                .first = durable + 1,
                                .durable_through = durable};
  EncodeWalGroupHeader(header, groups);
  groups.append(tail.frames);
  header = {.epoch = epoch,
            .frames = 0,
            .bytes = 0,
            .first = durable + 1 + tail.count,
            .durable_through = durable + tail.count};
  EncodeWalGroupHeader(header, groups);
  return groups;
}

// Best effort: the bytes were never acknowledged, and a full disk must not keep the log shut.
std::string SetAside(io::FileSystem& files, const SegmentScan& last, const WalFault& torn) {
  const std::string aside = fmt::format("{}.cut-{}", last.path, torn.offset);
  const auto copy = [&]() -> Status {
    TIDEMARK_TRY(const auto bytes, files.Read(last.path, torn.offset, last.bytes - torn.offset));
    const std::string folder = io::FolderOf(aside);
    return PublishFile(files, folder, std::string_view(aside).substr(folder.size() + 1), bytes);
  };
  const Status copied = copy();
  return fmt::format(
      "{}: cut at byte {} ({}): {} bytes behind position {} that were never "
      "acknowledged, {}",
      last.path,
      torn.offset,
      torn.what,
      last.bytes - torn.offset,
      last.last.value(),
      copied ? "set aside in " + aside : "not set aside: " + copied.error().message);
}

std::vector<WalSegment> ListOf(const LogScan& scan) {
  std::vector<WalSegment> list;
  for (std::size_t i = 0; i < scan.segments.size(); ++i) {
    const SegmentScan& segment = scan.segments[i];
    const bool is_last = i + 1 == scan.segments.size();
    const Position limit = is_last ? scan.durable : scan.segments[i + 1].follows();
    list.push_back({.path = segment.path,
                    .first = segment.first(),
                    .follows = segment.follows(),
                    .last = std::min(segment.last, limit),
                    .bytes = segment.bytes});
  }
  return list;
}

// Adds the segment to the list, in the place of one of the same name.
Result<SegmentWriter> BeginSegment(io::FileSystem& files,
                                   const std::string& folder,
                                   const format::WalSegmentHeader& header,
                                   std::string_view groups,
                                   Position last,
                                   std::vector<WalSegment>& list) {
  TIDEMARK_TRY(auto writer, SegmentWriter::Create(files, folder, header, groups));
  if (!list.empty() && list.back().first == header.first) list.pop_back();
  list.push_back({.path = writer.path(),
                  .first = header.first,
                  .follows = header.follows,
                  .last = last,
                  .bytes = writer.bytes()});
  return writer;
}

Result<OpenedLog> NewLog(io::FileSystem& files, const WalOptions& options, Epoch old, Micros now) {
  const Epoch known = std::max({options.known_epoch, options.cursor_epoch, old});
  const Epoch epoch = std::max(Epoch(now.value()), known + 1);
  TIDEMARK_TRY_VOID(PublishFile(files, options.folder, kEpochFile, format::EncodeEpochFile(epoch)));
  const format::WalSegmentHeader header{
      .epoch = epoch, .first = Position(1), .follows = Position(0), .tokens = {}};
  std::vector<WalSegment> list;
  TIDEMARK_TRY(auto writer, BeginSegment(files, options.folder, header, "", Position(0), list));
  return OpenedLog{.epoch = epoch,
                   .end = Position(0),
                   .tokens = {},
                   .segments = std::move(list),
                   .writer = std::move(writer),
                   .opening = {.is_new = true, .notes = {}}};
}

Status SkipToCursor(io::FileSystem& files, const WalOptions& options, OpenedLog& log) {
  if (options.cursor_epoch != log.epoch || options.cursor <= log.end) return {};
  const format::WalSegmentHeader header{
      .epoch = log.epoch, .first = options.cursor + 1, .follows = log.end, .tokens = log.tokens};
  TIDEMARK_TRY(log.writer,
               BeginSegment(files, options.folder, header, "", options.cursor, log.segments));
  log.opening.notes.push_back(fmt::format(
      "{}: the log ends at position {}, below the cursor at {}: what lay between is lost; "
      "new records begin at {}",
      options.folder,
      log.end.value(),
      options.cursor.value(),
      options.cursor.value() + 1));
  log.end = options.cursor;
  return {};
}

Result<OpenedLog> ContinueLog(io::FileSystem& files, const WalOptions& options, LogScan scan) {
  const SegmentScan& last = scan.segments.back();
  WalOpening opening;
  TIDEMARK_TRY(Tail tail, ReadTail(files, last, scan.durable));
  if (scan.torn) opening.notes.push_back(SetAside(files, last, *scan.torn));
  if (tail.count > 0) {
    opening.notes.push_back(
        fmt::format("{}: positions {} to {} may not have been on disk and were "
                    "synced again",
                    last.path,
                    scan.durable.value() + 1,
                    scan.end.value()));
  }
  // A segment without anything durable is replaced by the new one, with the hole before it.
  const bool replaces = last.first() == scan.durable + 1;
  const format::WalSegmentHeader header{.epoch = *scan.epoch,
                                        .first = scan.durable + 1,
                                        .follows = replaces ? last.follows() : scan.durable,
                                        .tokens = tail.tokens};
  std::vector<WalSegment> list = ListOf(scan);
  TIDEMARK_TRY(auto writer,
               BeginSegment(files,
                            options.folder,
                            header,
                            TailGroups(tail, *scan.epoch, scan.durable),
                            scan.end,
                            list));
  for (auto& [key, place] : tail.later_tokens) tail.tokens[key] = std::move(place);
  OpenedLog log{.epoch = *scan.epoch,
                .end = scan.end,
                .tokens = std::move(tail.tokens),
                .segments = std::move(list),
                .writer = std::move(writer),
                .opening = std::move(opening)};
  TIDEMARK_TRY_VOID(SkipToCursor(files, options, log));
  return log;
}

}  // namespace

Result<std::unique_ptr<io::File>> LockLog(io::FileSystem& files, const std::string& folder) {
  const std::string path = fmt::format("{}/{}", folder, kLockFile);
  auto lock = io::LockFile(files, path);
  if (!lock && lock.error().code == ErrorCode::kAlreadyExists) {
    return Fail(ErrorCode::kAlreadyExists, fmt::format("{}: another process has this log", folder));
  }
  return lock;
}

Error DamageError(const LogScan& scan) {
  std::string message = Describe(scan.damage.front());
  if (const std::size_t others = scan.damage.size() - 1; others > 0) {
    message += fmt::format("; {} more damaged place{}", others, others == 1 ? "" : "s");
  }
  return {.code = ErrorCode::kCorruption, .message = std::move(message)};
}

Result<OpenedLog> OpenLog(io::FileSystem& files, const WalOptions& options, Micros now) {
  TIDEMARK_TRY(LogScan scan, ScanLog(files, options.folder, options.stop));
  if (!scan.damage.empty()) return std::unexpected(DamageError(scan));
  for (const std::string& path : scan.leftovers) TIDEMARK_TRY_VOID(files.Remove(path));
  if (scan.segments.empty()) return NewLog(files, options, scan.epoch.value_or(Epoch(0)), now);
  if (!scan.epoch_file) {
    TIDEMARK_TRY_VOID(
        PublishFile(files, options.folder, kEpochFile, format::EncodeEpochFile(*scan.epoch)));
  }
  return ContinueLog(files, options, std::move(scan));
}

}  // namespace tidemark::edge

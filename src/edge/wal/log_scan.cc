#include "edge/wal/log_scan.h"

#include <fmt/format.h>

#include <algorithm>

#include "io/durable_folders.h"

namespace tidemark::edge {

namespace {

constexpr Position kNoLimit{INT64_MAX};

Result<std::optional<Epoch>> ReadEpochFile(io::FileSystem& files, const std::string& folder) {
  const auto text = files.Read(folder + "/" + kEpochFile, 0, 64);
  if (!text && text.error().code == ErrorCode::kNotFound) return std::nullopt;
  if (!text) return std::unexpected(text.error());
  const auto epoch = format::DecodeEpochFile(*text);
  if (!epoch) return std::nullopt;
  return *epoch;
}

Status ListFolder(io::FileSystem& files, const std::string& folder, LogScan& scan) {
  TIDEMARK_TRY_VOID(files.VisitFolder(folder, [&](std::string_view name, bool is_folder) {
    if (is_folder) return;
    const std::string path = fmt::format("{}/{}", folder, name);
    if (const auto first = format::ParseWalSegmentName(name)) {
      SegmentScan segment;
      segment.path = path;
      segment.name_first = *first;
      scan.segments.push_back(std::move(segment));
    } else if (name.ends_with(kTemporarySuffix)) {
      scan.leftovers.push_back(path);
    }
  }));
  std::ranges::sort(scan.segments, {}, &SegmentScan::name_first);
  std::ranges::sort(scan.leftovers);
  return {};
}

// Reads the header; its damage is a fault of the segment.
Status ReadStart(io::FileSystem& files, SegmentScan& segment) {
  TIDEMARK_TRY(auto file, SegmentFile::Open(files, segment.path));
  segment.bytes = file.size();
  auto start = ReadSegmentStart(file);
  if (start) {
    if (start->header.first == segment.name_first) {
      segment.start = std::move(*start);
      return {};
    }
    start = Fail(ErrorCode::kCorruption,
                 fmt::format("the segment's header says its first position is {}",
                             start->header.first.value()));
  }
  if (start.error().code != ErrorCode::kCorruption) return std::unexpected(start.error());
  segment.fault = WalFault{.offset = 0, .what = start.error().message};
  segment.last = segment.name_first - 1;
  return {};
}

// Checks groups up to `limit`; what is beyond belongs to the next segment, or to nobody.
Status ReadGroups(io::FileSystem& files,
                  SegmentScan& segment,
                  Position limit,
                  const std::stop_token& stop,
                  Position& durable) {
  TIDEMARK_TRY(auto file, SegmentFile::Open(files, segment.path));
  const Epoch epoch = segment.start->header.epoch;
  segment.last = segment.first() - 1;
  segment.end = segment.start->bytes;
  durable = std::max(durable, segment.last);
  while (segment.last < limit && segment.end < file.size() && !segment.fault) {
    if (stop.stop_requested()) {
      return Fail(ErrorCode::kCancelled,
                  "told to stop while the write-ahead log was being checked");
    }
    TIDEMARK_TRY(
        auto group,
        CheckGroup(file, segment.end, epoch, segment.last + 1, [](const auto&, std::int64_t) {}));
    if (group.fault) {
      segment.fault = std::move(group.fault);
      TIDEMARK_TRY(const Position vouched, FindVoucher(file, segment.end, epoch));
      durable = std::max(durable, vouched);
    } else {
      segment.last = segment.last + group.header.frames;
      segment.end = group.end;
      segment.groups += group.header.frames > 0 ? 1 : 0;
      durable = std::max(durable, group.header.durable_through);
    }
  }
  return {};
}

// The first whole position behind the damage, in its own file or the next one's.
Result<Position> PositionAfter(io::FileSystem& files,
                               const SegmentScan& segment,
                               const SegmentScan* next) {
  TIDEMARK_TRY(auto file, SegmentFile::Open(files, segment.path));
  const std::int64_t offset = segment.fault ? segment.fault->offset : segment.end;
  TIDEMARK_TRY(const auto found, FindFrame(file, offset, segment.last));
  if (found && (next == nullptr || found->position < next->first())) return found->position;
  if (next != nullptr && next->last >= next->first()) return next->first();
  return Position(0);
}

// What the segment lacks up to `limit`.
Status JudgeSegment(io::FileSystem& files, LogScan& scan, std::size_t index, Position limit) {
  const SegmentScan& segment = scan.segments[index];
  const bool is_last = index + 1 == scan.segments.size();
  if (segment.start && segment.last >= limit) return {};
  const SegmentScan* const next = is_last ? nullptr : &scan.segments[index + 1];
  WalDamage damage{.path = segment.path,
                   .offset = segment.fault ? segment.fault->offset : segment.end,
                   .before = segment.last,
                   .after = {},
                   .what = segment.fault ? segment.fault->what
                                         : fmt::format("positions {} to {} are missing",
                                                       segment.last.value() + 1,
                                                       limit.value())};
  TIDEMARK_TRY(damage.after, PositionAfter(files, segment, next));
  scan.damage.push_back(std::move(damage));
  return {};
}

Status Judge(io::FileSystem& files, LogScan& scan) {
  for (std::size_t i = 0; i < scan.segments.size(); ++i) {
    const SegmentScan& segment = scan.segments[i];
    if (segment.follows() + 1 < segment.first()) {
      scan.holes.push_back({.first = segment.follows() + 1, .last = segment.first() - 1});
    }
    const bool is_last = i + 1 == scan.segments.size();
    const Position limit = is_last ? scan.durable : scan.segments[i + 1].follows();
    TIDEMARK_TRY_VOID(JudgeSegment(files, scan, i, limit));
  }
  const SegmentScan& last = scan.segments.back();
  scan.end = last.last;
  if (last.fault && scan.damage.empty()) scan.torn = last.fault;
  return {};
}

Status ChooseEpoch(LogScan& scan) {
  for (const SegmentScan& segment : scan.segments) {
    if (!segment.start) continue;
    const Epoch epoch = segment.start->header.epoch;
    if (!scan.epoch) scan.epoch = epoch;
    if (*scan.epoch == epoch) continue;
    return Fail(
        ErrorCode::kCorruption,
        fmt::format("{}: the segment is of the log {:016x}, the folder of {:016x}; a segment "
                    "of another log does not belong here",
                    segment.path,
                    epoch.value(),
                    scan.epoch->value()));
  }
  if (scan.epoch || scan.segments.empty()) return {};
  return Fail(ErrorCode::kCorruption,
              fmt::format("{}: neither the file `epoch` nor a segment's header can be read",
                          io::FolderOf(scan.segments.front().path)));
}

}  // namespace

Result<LogScan> ScanLog(io::FileSystem& files,
                        const std::string& folder,
                        const std::stop_token& stop) {
  LogScan scan;
  TIDEMARK_TRY(scan.epoch_file, ReadEpochFile(files, folder));
  scan.epoch = scan.epoch_file;
  TIDEMARK_TRY_VOID(ListFolder(files, folder, scan));
  for (SegmentScan& segment : scan.segments) TIDEMARK_TRY_VOID(ReadStart(files, segment));
  TIDEMARK_TRY_VOID(ChooseEpoch(scan));
  if (scan.segments.empty()) return scan;
  for (std::size_t i = 0; i < scan.segments.size(); ++i) {
    if (!scan.segments[i].start) {
      TIDEMARK_TRY(auto file, SegmentFile::Open(files, scan.segments[i].path));
      TIDEMARK_TRY(const Position vouched, FindVoucher(file, 0, *scan.epoch));
      scan.durable = std::max({scan.durable, vouched, scan.segments[i].name_first - 1});
      continue;
    }
    const bool is_last = i + 1 == scan.segments.size();
    const Position limit = is_last ? kNoLimit : scan.segments[i + 1].follows();
    TIDEMARK_TRY_VOID(ReadGroups(files, scan.segments[i], limit, stop, scan.durable));
  }
  TIDEMARK_TRY_VOID(Judge(files, scan));
  return scan;
}

std::string Describe(const WalDamage& damage) {
  const auto name = [](Position position) {
    return position.value() == 0 ? std::string("none") : fmt::format("{}", position.value());
  };
  return fmt::format(
      "{}: damaged at byte {} ({}); the last whole position before it is {}, the first behind it "
      "is "
      "{}. `tidemark wal repair --data {}` sets the damaged bytes aside and keeps all whole "
      "records",
      damage.path,
      damage.offset,
      damage.what,
      name(damage.before),
      name(damage.after),
      io::FolderOf(io::FolderOf(damage.path)));
}

}  // namespace tidemark::edge

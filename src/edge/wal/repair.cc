// One damaged segment after the other, the last one first. Of each, what lies behind its whole
// groups is read frame by frame; frames whose positions follow each other are a run, and a run
// becomes a segment of its own. A segment ends where the next one begins, so the damaged bytes stop
// counting without being touched. The order makes every crash harmless: as long as a later run has
// not been published, the damaged bytes before it still count and are found again.
//
//   1. aside    the bytes from the first damaged one on are copied into a file of their own.
//   2. behind   the segment that follows says which position it follows; behind the last segment
//               stands an empty one that keeps lost positions from being given again.
//   3. runs     the last one first.
//   4. header   a segment whose header is damaged loses its name.

#include "edge/wal/repair.h"

#include <fmt/format.h>

#include <algorithm>

#include "edge/wal/log_scan.h"
#include "edge/wal/log_walk.h"
#include "edge/wal/recover.h"
#include "edge/wal/segment_writer.h"
#include "format/wal_frame.h"

namespace tidemark::edge {

namespace {

// Whole frames whose positions follow each other, as they stand in the damaged segment.
struct FrameRun {
  Position first;
  Position last;
  std::string frames;
  format::TokenTable tokens;  // as of the position before
};

class SegmentRepair {
 public:
  SegmentRepair(io::FileSystem& files,
                const std::string& folder,
                const LogScan& scan,
                std::size_t index)
      : files_(files), folder_(folder), scan_(scan), index_(index), segment_(scan.segments[index]) {
    if (index + 1 < scan.segments.size()) next_ = &scan.segments[index + 1];
  }

  Result<std::string> Run() {
    TIDEMARK_TRY(const std::string aside, SetAside());
    TIDEMARK_TRY_VOID(FindRuns());
    TIDEMARK_TRY_VOID(FixBehind());
    for (std::size_t i = runs_.size(); i > 0; --i) TIDEMARK_TRY_VOID(PublishRun(i - 1));
    TIDEMARK_TRY_VOID(DropDamagedHeader());
    std::int64_t saved = 0;
    for (const FrameRun& run : runs_) saved += run.last - run.first + 1;
    return fmt::format(
        "{}: damaged at byte {}; {} whole records behind it were saved; its bytes from "
        "{} on are set aside in {}",
        segment_.path,
        segment_.fault ? segment_.fault->offset : segment_.end,
        saved,
        segment_.end,
        aside);
  }

 private:
  Position EndOfRuns() const { return runs_.empty() ? segment_.last : runs_.back().last; }

  Result<std::string> SetAside() {
    const std::string name = segment_.path.substr(folder_.size() + 1);
    const std::string aside = fmt::format("{}.damaged-{}", name, segment_.end);
    TIDEMARK_TRY(const auto bytes,
                 files_.Read(segment_.path, segment_.end, segment_.bytes - segment_.end));
    TIDEMARK_TRY_VOID(PublishFile(files_, folder_, aside, bytes));
    return folder_ + "/" + aside;
  }

  Status FindRuns() {
    TIDEMARK_TRY(tokens_, TokensAtEnd(files_, scan_, index_));
    TIDEMARK_TRY(auto file, SegmentFile::Open(files_, segment_.path));
    Position last = segment_.last;
    std::int64_t offset = segment_.end;
    while (true) {
      TIDEMARK_TRY(const auto found, FindFrame(file, offset, last));
      if (!found || (next_ != nullptr && found->position >= next_->first())) return {};
      if (runs_.empty() || found->position != last + 1) {
        runs_.push_back({.first = found->position, .last = {}, .frames = {}, .tokens = tokens_});
      }
      const auto size = static_cast<std::uint64_t>(found->end - found->offset);
      TIDEMARK_TRY(const auto frame, file.View(found->offset, size));
      TIDEMARK_TRY(const auto record, format::DecodeFrame(frame));
      format::PlaceToken(record, tokens_);
      runs_.back().frames.append(frame);
      runs_.back().last = last = found->position;
      offset = found->end;
    }
  }

  Status FixBehind() {
    const Position follows = EndOfRuns();
    if (next_ != nullptr) return RewriteNext(follows);
    // Of a segment without a header only its name vouches for what is before it.
    const bool vouched = segment_.start || !runs_.empty();
    if (follows >= scan_.durable && vouched) return {};
    return Create(std::max(follows, scan_.durable) + 1, follows, tokens_, "");
  }

  // The same segment with another word about what it follows.
  Status RewriteNext(Position follows) {
    if (next_->follows() == follows) return {};
    const SegmentStart& start = *next_->start;
    TIDEMARK_TRY(const auto groups,
                 files_.Read(next_->path, start.bytes, next_->bytes - start.bytes));
    return Create(start.header.first, follows, start.header.tokens, groups);
  }

  Status PublishRun(std::size_t index) {
    const FrameRun& run = runs_[index];
    std::string groups;
    format::WalGroupHeader group{.epoch = *scan_.epoch,
                                 .frames = static_cast<std::uint32_t>(run.last - run.first + 1),
                                 .bytes = run.frames.size(),
                                 .first = run.first,
                                 .durable_through = run.first - 1};
    EncodeWalGroupHeader(group, groups);
    groups.append(run.frames);
    group = {.epoch = *scan_.epoch,
             .frames = 0,
             .bytes = 0,
             .first = run.last + 1,
             .durable_through = run.last};
    EncodeWalGroupHeader(group, groups);
    const Position follows = index == 0 ? segment_.last : runs_[index - 1].last;
    return Create(run.first, follows, run.tokens, groups);
  }

  Status Create(Position first,
                Position follows,
                const format::TokenTable& tokens,
                std::string_view groups) {
    const format::WalSegmentHeader header{
        .epoch = *scan_.epoch, .first = first, .follows = follows, .tokens = tokens};
    TIDEMARK_TRY(const auto writer, SegmentWriter::Create(files_, folder_, header, groups));
    replaced_ = replaced_ || writer.path() == segment_.path;
    return {};
  }

  Status DropDamagedHeader() {
    if (segment_.start || replaced_) return {};
    TIDEMARK_TRY_VOID(files_.Remove(segment_.path));
    return files_.SyncFolder(folder_);
  }

  io::FileSystem& files_;
  const std::string& folder_;
  const LogScan& scan_;
  const std::size_t index_;
  const SegmentScan& segment_;
  const SegmentScan* next_ = nullptr;
  std::vector<FrameRun> runs_;
  format::TokenTable tokens_;  // as of the end of the runs
  bool replaced_ = false;      // the damaged file by one of its name
};

// Each round mends one segment, or the one behind it.
std::size_t MostRounds(const LogScan& scan) { return 2 * scan.segments.size() + 2; }

}  // namespace

Result<RepairReport> RepairLog(io::FileSystem& files, const std::string& folder) {
  TIDEMARK_TRY(const auto lock, LockLog(files, folder));
  RepairReport report;
  TIDEMARK_TRY(LogScan scan, ScanLog(files, folder));
  for (std::size_t rounds = MostRounds(scan); !scan.damage.empty(); --rounds) {
    if (rounds == 0) return std::unexpected(DamageError(scan));
    const auto damaged =
        std::ranges::find(scan.segments, scan.damage.back().path, &SegmentScan::path);
    const auto index = static_cast<std::size_t>(damaged - scan.segments.begin());
    TIDEMARK_TRY(std::string step, SegmentRepair(files, folder, scan, index).Run());
    report.steps.push_back(std::move(step));
    TIDEMARK_TRY(scan, ScanLog(files, folder));
  }
  if (report.steps.empty()) return report;
  for (const WalHole& hole : scan.holes) {
    report.steps.push_back(
        fmt::format("positions {} to {} are lost; one sink keeps them as one "
                    "reject wal.damaged",
                    hole.first.value(),
                    hole.last.value()));
  }
  return report;
}

}  // namespace tidemark::edge

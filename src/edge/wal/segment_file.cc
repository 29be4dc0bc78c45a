#include "edge/wal/segment_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/wire.h"
#include "format/wal_frame.h"

namespace tidemark::edge {

namespace {

constexpr std::uint64_t kWindowBytes = 1 << 20;

// Behind a frame's head: flags, then the position.
constexpr std::size_t kPositionOffset = format::kFrameHeadBytes + 1;
constexpr std::size_t kPositionEnd = kPositionOffset + 8;

// The whole frame at `offset`, or what is wrong with it.
Result<std::string_view> FrameAt(SegmentFile& file, std::int64_t offset, std::int64_t limit) {
  TIDEMARK_TRY(const auto head, file.View(offset, format::kFrameHeadBytes));
  const std::uint64_t size = format::FrameBytesOf(head);
  if (head.size() < format::kFrameHeadBytes || size > static_cast<std::uint64_t>(limit - offset)) {
    return Fail(ErrorCode::kCorruption, "a frame is cut short");
  }
  return file.View(offset, size);
}

bool IsCorruption(const Error& error) { return error.code == ErrorCode::kCorruption; }

// Reads the group's frames; a fault, or nothing.
Result<std::optional<WalFault>> CheckFrames(SegmentFile& file,
                                            const GroupCheck& group,
                                            std::int64_t offset,
                                            const FrameVisitor& visit) {
  Position expected = group.header.first;
  for (std::uint32_t i = 0; i < group.header.frames; ++i, ++expected) {
    const auto frame = FrameAt(file, offset, group.end);
    if (!frame && !IsCorruption(frame.error())) return std::unexpected(frame.error());
    const auto record = frame ? format::DecodeFrame(*frame)
                              : Result<format::WalRecord>(std::unexpected(frame.error()));
    if (!record) return WalFault{.offset = offset, .what = record.error().message};
    if (record->position != expected) {
      return WalFault{
          .offset = offset,
          .what = fmt::format(
              "position {} where {} should be", record->position.value(), expected.value())};
    }
    visit(*record, offset);
    offset += static_cast<std::int64_t>(frame->size());
  }
  if (offset == group.end) return std::nullopt;
  return WalFault{.offset = offset, .what = "the group is longer than its frames"};
}

}  // namespace

Result<SegmentFile> SegmentFile::Open(io::FileSystem& files, std::string path) {
  TIDEMARK_TRY(auto file, files.OpenToRead(path));
  TIDEMARK_TRY(const std::int64_t size, file->Size());
  return SegmentFile(std::move(path), std::move(file), size);
}

Result<std::string_view> SegmentFile::View(std::int64_t offset, std::uint64_t size) {
  const auto left = static_cast<std::uint64_t>(std::max<std::int64_t>(size_ - offset, 0));
  size = std::min(size, left);
  const auto window_end = window_offset_ + static_cast<std::int64_t>(window_.size());
  const auto end = offset + static_cast<std::int64_t>(size);
  if (offset < window_offset_ || end > window_end) {
    const auto wanted = std::min(std::max(size, kWindowBytes), left);
    TIDEMARK_TRY(window_, file_->Read(offset, static_cast<std::int64_t>(wanted)));
    window_offset_ = offset;
  }
  return std::string_view(window_).substr(static_cast<std::size_t>(offset - window_offset_), size);
}

Result<SegmentStart> ReadSegmentStart(SegmentFile& file) {
  TIDEMARK_TRY(const auto head, file.View(0, format::kWalSegmentHeadBytes));
  TIDEMARK_TRY(const std::size_t size, format::WalSegmentHeaderBytes(head));
  TIDEMARK_TRY(const auto whole, file.View(0, size));
  SegmentStart start;
  TIDEMARK_TRY(start.header, format::DecodeWalSegmentHeader(whole));
  start.bytes = static_cast<std::int64_t>(size);
  return start;
}

Result<GroupCheck> CheckGroup(SegmentFile& file,
                              std::int64_t offset,
                              Epoch epoch,
                              Position expected,
                              const FrameVisitor& visit) {
  GroupCheck check;
  TIDEMARK_TRY(const auto head, file.View(offset, format::kWalGroupHeaderBytes));
  const auto header = format::DecodeWalGroupHeader(head);
  const auto fault = [&](std::string what) {
    check.fault = WalFault{.offset = offset, .what = std::move(what)};
    return check;
  };
  if (!header) return fault(header.error().message);
  check.header = *header;
  const std::int64_t begin = offset + static_cast<std::int64_t>(head.size());
  if (header->epoch != epoch) return fault("the group is of another log");
  if (header->first != expected) {
    return fault(fmt::format(
        "a group of position {} where {} should be", header->first.value(), expected.value()));
  }
  if (header->bytes > static_cast<std::uint64_t>(file.size() - begin)) {
    return fault("the group is cut short");
  }
  check.end = begin + static_cast<std::int64_t>(header->bytes);
  TIDEMARK_TRY(check.fault, CheckFrames(file, check, begin, visit));
  return check;
}

Result<std::optional<FoundFrame>> FindFrame(SegmentFile& file,
                                            std::int64_t offset,
                                            Position above) {
  const auto least = static_cast<std::int64_t>(format::kLeastFrameBytes);
  for (; offset + least <= file.size(); ++offset) {
    TIDEMARK_TRY(const auto head, file.View(offset, kPositionEnd));
    const Position position(WireReader(head.substr(kPositionOffset)).I64());
    // A file cannot hold more positions than that: no checksum is worth computing for others.
    if (position <= above || position - above > file.size() / least) continue;
    const auto frame = FrameAt(file, offset, file.size());
    if (!frame && !IsCorruption(frame.error())) return std::unexpected(frame.error());
    if (!frame || !format::DecodeFrame(*frame)) continue;
    const auto end = offset + static_cast<std::int64_t>(frame->size());
    return FoundFrame{.offset = offset, .end = end, .position = position};
  }
  return std::nullopt;
}

Result<Position> FindVoucher(SegmentFile& file, std::int64_t offset, Epoch epoch) {
  Position durable(0);
  const auto size = static_cast<std::int64_t>(format::kWalGroupHeaderBytes);
  for (; offset + size <= file.size(); ++offset) {
    TIDEMARK_TRY(const auto head, file.View(offset, format::kWalGroupHeaderBytes));
    if (!head.starts_with(format::kWalGroupMagic)) continue;
    const auto header = format::DecodeWalGroupHeader(head);
    if (header && header->epoch == epoch) durable = std::max(durable, header->durable_through);
  }
  return durable;
}

}  // namespace tidemark::edge

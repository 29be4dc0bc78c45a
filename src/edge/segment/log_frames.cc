#include "edge/segment/log_frames.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/crc32c.h"
#include "base/wire.h"
#include "format/log_frame.h"

namespace tidemark::edge {

namespace {

constexpr std::int64_t kChunkBytes = 1 << 20;
constexpr auto kHeaderBytes = static_cast<std::int64_t>(format::kLogFrameHeaderBytes);

}  // namespace

std::string_view BodyOf(std::string_view frame) {
  return frame.substr(format::kLogFrameHeaderBytes);
}

Result<std::optional<LogFrames>> LogFrames::Open(io::FileSystem& files,
                                                 const std::string& path,
                                                 std::string_view magic) {
  auto file = files.OpenToRead(path);
  if (!file && file.error().code == ErrorCode::kNotFound) return std::optional<LogFrames>();
  if (!file) return std::unexpected(std::move(file.error()));
  TIDEMARK_TRY(const std::int64_t size, (*file)->Size());
  LogFrames frames(std::move(*file), size);
  TIDEMARK_TRY(const auto begin, frames.Ahead(static_cast<std::int64_t>(magic.size())));
  if (size > 0 && begin != magic) {
    return Fail(ErrorCode::kCorruption, fmt::format("{} does not begin with {}", path, magic));
  }
  frames.end_ = static_cast<std::int64_t>(begin.size());
  return std::optional(std::move(frames));
}

Result<std::optional<std::string_view>> LogFrames::Next() {
  TIDEMARK_TRY(const auto header, Ahead(kHeaderBytes));
  WireReader reader(header);
  const std::int64_t bytes = kHeaderBytes + std::int64_t{reader.U32()};
  const std::uint32_t crc = reader.U32();
  if (!reader.ok() || bytes == kHeaderBytes || bytes > size_ - end_) return std::nullopt;
  // A length that is damaged may be any: nothing long is held before its checksum is right.
  if (bytes > kChunkBytes) {
    TIDEMARK_TRY(const bool whole, IsWhole(bytes, crc));
    if (!whole) return std::nullopt;
  }
  TIDEMARK_TRY(const std::string_view frame, Ahead(bytes));
  if (Crc32c(BodyOf(frame)) != crc) return std::nullopt;
  end_ += bytes;
  return frame;
}

Result<bool> LogFrames::IsWhole(std::int64_t bytes, std::uint32_t crc) const {
  std::uint32_t found = 0;
  for (std::int64_t at = kHeaderBytes; at < bytes; at += kChunkBytes) {
    TIDEMARK_TRY(const std::string piece,
                 file_->Read(end_ + at, std::min(kChunkBytes, bytes - at)));
    found = Crc32c(piece, found);
  }
  return found == crc;
}

Result<std::string_view> LogFrames::Ahead(std::int64_t bytes) {
  bytes = std::min(bytes, size_ - end_);
  const auto held = static_cast<std::int64_t>(chunk_.size());
  if (end_ < chunk_begin_ || end_ + bytes > chunk_begin_ + held) {
    chunk_ = {};
    TIDEMARK_TRY(chunk_, file_->Read(end_, std::max(bytes, kChunkBytes)));
    chunk_begin_ = end_;
    bytes = std::min(bytes, static_cast<std::int64_t>(chunk_.size()));
  }
  const auto at = static_cast<std::size_t>(end_ - chunk_begin_);
  return std::string_view(chunk_).substr(at, static_cast<std::size_t>(bytes));
}

}  // namespace tidemark::edge

#include "format/wal_frame.h"

#include <fmt/format.h>

#include "base/crc32c.h"
#include "base/wire.h"

namespace tidemark::format {

namespace {

constexpr std::uint8_t kClockSynced = 1;
constexpr std::uint8_t kCut = 2;

std::size_t TextBytes(std::string_view text) { return VarintSize(text.size()) + text.size(); }

}  // namespace

std::size_t FrameBytes(const WalRecord& record) {
  const std::size_t full = record.full_bytes == 0 ? 0 : VarintSize(record.full_bytes);
  return kFrameHeadBytes + 1 + 8 + 8 + TextBytes(record.source) + TextBytes(record.topic) +
         TextBytes(record.token) + full + TextBytes(record.payload);
}

void EncodeFrame(const WalRecord& record, std::string& out) {
  const std::size_t begin = out.size();
  PutU32(static_cast<std::uint32_t>(FrameBytes(record) - kFrameHeadBytes), out);
  PutU32(0, out);
  const bool cut = record.full_bytes != 0;
  PutU8(static_cast<std::uint8_t>((record.clock_synced ? kClockSynced : 0) | (cut ? kCut : 0)),
        out);
  PutI64(record.position.value(), out);
  PutI64(record.ingest_time.value(), out);
  PutBytes(record.source, out);
  PutBytes(record.topic, out);
  PutBytes(record.token, out);
  if (cut) PutVarint(record.full_bytes, out);
  PutBytes(record.payload, out);
  SetU32(Crc32c(std::string_view(out).substr(begin + kFrameHeadBytes)), begin + 4, out);
}

std::uint64_t FrameBytesOf(std::string_view head) {
  return kFrameHeadBytes + std::uint64_t{WireReader(head).U32()};
}

Result<WalRecord> DecodeFrame(std::string_view frame) {
  WireReader head(frame);
  const std::uint32_t length = head.U32();
  const std::uint32_t crc = head.U32();
  if (!head.ok() || length != head.rest().size()) {
    return Fail(
        ErrorCode::kCorruption,
        fmt::format("a frame of {} bytes says it has {}", frame.size(), FrameBytesOf(frame)));
  }
  if (Crc32c(head.rest()) != crc)
    return Fail(ErrorCode::kCorruption, "the frame's checksum is wrong");
  WireReader body(head.rest());
  WalRecord record;
  const std::uint8_t flags = body.U8();
  record.clock_synced = (flags & kClockSynced) != 0;
  record.position = Position(body.I64());
  record.ingest_time = Micros(body.I64());
  record.source = body.Bytes();
  record.topic = body.Bytes();
  record.token = body.Bytes();
  if ((flags & kCut) != 0) record.full_bytes = body.Varint();
  record.payload = body.Bytes();
  if (!body.AtEnd() || (flags & ~(kClockSynced | kCut)) != 0) {
    return Fail(ErrorCode::kCorruption,
                fmt::format("the frame of position {} does not decode", record.position.value()));
  }
  return record;
}

}  // namespace tidemark::format

#include "format/wal_frame.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "base/crc32c.h"
#include "base/wire.h"

namespace tidemark::format {

namespace {

static_assert(std::endian::native == std::endian::little, "numbers are copied as they are");

constexpr std::uint8_t kClockSynced = 1;
constexpr std::uint8_t kCut = 2;

// Flags, position and time.
constexpr std::size_t kFixedBytes = 1 + 8 + 8;

std::size_t TextBytes(std::string_view text) { return VarintSize(text.size()) + text.size(); }

// Writes where there is room, without looking.
class Pen {
 public:
  explicit Pen(char* at) : at_(at) {}

  template <typename Number>
  void Put(Number value) {
    std::memcpy(at_, &value, sizeof value);
    at_ += sizeof value;
  }

  void PutVarint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) *at_++ = static_cast<char>(value | 0x80);
    *at_++ = static_cast<char>(value);
  }

  void PutText(std::string_view text) {
    PutVarint(text.size());
    at_ += text.copy(at_, text.size());
  }

 private:
  char* at_;
};

template <typename Number>
Number Load(const char* at) {
  Number value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

}  // namespace

std::size_t FrameBytes(const WalRecord& record) {
  const std::size_t full = record.full_bytes == 0 ? 0 : VarintSize(record.full_bytes);
  return kFrameHeadBytes + 1 + 8 + 8 + TextBytes(record.source) + TextBytes(record.topic) +
         TextBytes(record.token) + full + TextBytes(record.payload);
}

void EncodeFrame(const WalRecord& record, std::string& out) {
  const std::size_t begin = out.size();
  const std::size_t size = FrameBytes(record);
  const bool cut = record.full_bytes != 0;
  // The length that is passed may be the whole capacity (libstdc++ 12).
  out.resize_and_overwrite(begin + size, [&](char* data, std::size_t) {
    Pen pen(data + begin);
    pen.Put(static_cast<std::uint32_t>(size - kFrameHeadBytes));
    pen.Put(std::uint32_t{0});
    pen.Put(static_cast<std::uint8_t>((record.clock_synced ? kClockSynced : 0) | (cut ? kCut : 0)));
    pen.Put(record.position.value());
    pen.Put(record.ingest_time.value());
    pen.PutText(record.source);
    pen.PutText(record.topic);
    pen.PutText(record.token);
    if (cut) pen.PutVarint(record.full_bytes);
    pen.PutText(record.payload);
    return begin + size;
  });
  SetU32(Crc32c(std::string_view(out).substr(begin + kFrameHeadBytes)), begin + 4, out);
}

std::uint64_t FrameBytesOf(std::string_view head) {
  if (head.size() < sizeof(std::uint32_t)) return kFrameHeadBytes;
  const char* const at = head.data();
  return kFrameHeadBytes + std::uint64_t{Load<std::uint32_t>(at)};
}

Result<WalRecord> DecodeFrame(std::string_view frame, FrameChecksum checksum) {
  const bool has_head = frame.size() >= kFrameHeadBytes;
  const auto rest = frame.substr(has_head ? kFrameHeadBytes : frame.size());
  const char* const head = frame.data();
  if (!has_head || Load<std::uint32_t>(head) != rest.size()) {
    return Fail(
        ErrorCode::kCorruption,
        fmt::format("a frame of {} bytes says it has {}", frame.size(), FrameBytesOf(frame)));
  }
  const bool compare = checksum == FrameChecksum::kCompare;
  if (compare && Crc32c(rest) != Load<std::uint32_t>(head + 4)) {
    return Fail(ErrorCode::kCorruption, "the frame's checksum is wrong");
  }
  WireReader body(rest);
  WalRecord record;
  const auto fixed = body.Take(kFixedBytes);
  if (!body.ok()) return Fail(ErrorCode::kCorruption, "the frame is shorter than any");
  const char* const at = fixed.data();
  const auto flags = Load<std::uint8_t>(at);
  record.clock_synced = (flags & kClockSynced) != 0;
  record.position = Position(Load<std::int64_t>(at + 1));
  record.ingest_time = Micros(Load<std::int64_t>(at + 9));
  record.source = body.Bytes();
  record.topic = body.Bytes();
  record.token = body.Bytes();
  if ((flags & kCut) != 0) record.full_bytes = body.Varint();
  record.payload = body.Bytes();
  const bool cut_of_nothing = (flags & kCut) != 0 && record.full_bytes == 0;
  if (!body.AtEnd() || cut_of_nothing || (flags & ~(kClockSynced | kCut)) != 0) {
    return Fail(ErrorCode::kCorruption,
                fmt::format("the frame of position {} does not decode", record.position.value()));
  }
  return record;
}

}  // namespace tidemark::format

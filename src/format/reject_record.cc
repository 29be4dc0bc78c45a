#include "format/reject_record.h"

#include <fmt/format.h>

#include "base/wire.h"
#include "format/log_frame.h"

namespace tidemark::format {

namespace {

constexpr std::uint8_t kReject = 1;
constexpr std::uint8_t kMark = 2;

// -1: none that a schema has.
int ReadVersion(WireReader& reader) {
  const std::uint64_t version = reader.Varint();
  return std::in_range<int>(version) ? static_cast<int>(version) : -1;
}

RejectRecord ReadReject(WireReader& reader) {
  RejectRecord r;
  r.epoch = Epoch(reader.I64());
  r.position = Position(static_cast<std::int64_t>(reader.Varint()));
  r.ingest_time = Micros(reader.I64());
  r.clock_synced = reader.Flag();
  r.dataset = reader.Bytes();
  r.version = ReadVersion(reader);
  r.source = reader.Bytes();
  r.topic = reader.Bytes();
  r.reason = reader.Bytes();
  r.detail = reader.Bytes();
  r.payload = reader.Bytes();
  return r;
}

RejectMark ReadMark(WireReader& reader) {
  RejectMark m;
  m.epoch = Epoch(reader.I64());
  m.through = Position(static_cast<std::int64_t>(reader.Varint()));
  return m;
}

std::string EncodeReject(const RejectRecord& r) {
  std::string body;
  PutU8(kReject, body);
  PutI64(r.epoch.value(), body);
  PutVarint(static_cast<std::uint64_t>(r.position.value()), body);
  PutI64(r.ingest_time.value(), body);
  PutU8(r.clock_synced ? 1 : 0, body);
  PutBytes(r.dataset, body);
  PutVarint(static_cast<std::uint64_t>(r.version), body);
  for (const std::string* text : {&r.source, &r.topic, &r.reason, &r.detail, &r.payload}) {
    PutBytes(*text, body);
  }
  return body;
}

std::string EncodeMark(const RejectMark& m) {
  std::string body;
  PutU8(kMark, body);
  PutI64(m.epoch.value(), body);
  PutVarint(static_cast<std::uint64_t>(m.through.value()), body);
  return body;
}

}  // namespace

std::string EncodeRejectEntry(const RejectEntry& entry) {
  if (const auto* mark = std::get_if<RejectMark>(&entry)) return EncodeMark(*mark);
  return EncodeReject(std::get<RejectRecord>(entry));
}

Result<RejectEntry> DecodeRejectEntry(std::string_view body) {
  WireReader reader(body);
  const std::uint8_t type = reader.U8();
  std::optional<RejectEntry> entry;
  if (type == kReject) entry = ReadReject(reader);
  if (type == kMark) entry = ReadMark(reader);
  const auto* reject = entry ? std::get_if<RejectRecord>(&*entry) : nullptr;
  const bool known_version = reject == nullptr || reject->version >= 0;
  if (!entry || !reader.AtEnd() || !known_version) {
    return Fail(ErrorCode::kCorruption,
                fmt::format("reject entry of type {} with {} bytes; known are a reject (1) and a "
                            "mark (2) with their fields",
                            type,
                            body.size()));
  }
  return *std::move(entry);
}

std::vector<RejectMark> RejectMarksIn(std::string_view bytes) {
  // Looked for by the bytes that a mark's frame has for certain: a small length, and its type.
  static_assert(kRejectMarkFrameBytesMax < 0x100);
  constexpr std::size_t kType = kLogFrameHeaderBytes;
  std::vector<RejectMark> marks;
  for (std::size_t at = 0; at + kType < bytes.size(); ++at) {
    if (bytes[at + kType] != char{kMark} || bytes[at + 1] != 0) continue;
    std::string_view rest = bytes.substr(at, kRejectMarkFrameBytesMax);
    const auto body = TakeLogFrame(rest);
    if (!body) continue;
    const auto entry = DecodeRejectEntry(*body);
    if (!entry) continue;
    if (const auto* mark = std::get_if<RejectMark>(&*entry)) marks.push_back(*mark);
  }
  return marks;
}

}  // namespace tidemark::format

#include "format/wal_segment.h"

#include <fmt/format.h>

#include <charconv>

#include "base/crc32c.h"
#include "base/wire.h"
#include "format/source_token.h"

namespace tidemark::format {

namespace {

constexpr std::string_view kMagic = "TDMKWAL1";
constexpr std::string_view kSuffix = ".wal";
constexpr std::size_t kNameDigits = 20;
constexpr std::size_t kCrcBytes = 4;

std::unexpected<Error> Damaged(std::string_view what) {
  return Fail(ErrorCode::kCorruption, std::string(what));
}

TokenTable ReadTokens(WireReader& reader) {
  TokenTable tokens;
  // Each takes three bytes at least, so a wrong count ends with the bytes.
  for (std::uint64_t left = reader.Varint(); left > 0 && reader.ok(); --left) {
    const auto source = reader.Bytes();
    const auto stream = reader.Bytes();
    tokens[{std::string(source), std::string(stream)}] = reader.Bytes();
  }
  return tokens;
}

}  // namespace

void PlaceToken(const WalRecord& record, TokenTable& tokens) {
  if (record.token.empty()) return;
  const SourceToken token = DecodeSourceToken(record.token);
  tokens[{std::string(record.source), std::string(token.stream)}] = token.place;
}

std::string EncodeWalSegmentHeader(const WalSegmentHeader& header) {
  std::string out(kMagic);
  PutU32(0, out);
  PutI64(header.epoch.value(), out);
  PutI64(header.first.value(), out);
  PutI64(header.follows.value(), out);
  PutVarint(header.tokens.size(), out);
  for (const auto& [key, place] : header.tokens) {
    PutBytes(key.first, out);
    PutBytes(key.second, out);
    PutBytes(place, out);
  }
  SetU32(static_cast<std::uint32_t>(out.size() + kCrcBytes), kMagic.size(), out);
  PutU32(Crc32c(out), out);
  return out;
}

Result<std::size_t> WalSegmentHeaderBytes(std::string_view head) {
  WireReader reader(head);
  const auto magic = reader.Take(kMagic.size());
  const std::uint32_t size = reader.U32();
  if (!reader.ok()) return Damaged("the segment's header is cut short");
  if (magic != kMagic) return Damaged("this is no segment of a write-ahead log (TDMKWAL1)");
  if (size < kWalSegmentHeadBytes + kCrcBytes || size > kWalSegmentHeaderBytesMax) {
    return Damaged(fmt::format("the segment's header says it has {} bytes", size));
  }
  return size;
}

Result<WalSegmentHeader> DecodeWalSegmentHeader(std::string_view bytes) {
  TIDEMARK_TRY(const std::size_t size, WalSegmentHeaderBytes(bytes));
  if (size != bytes.size()) return Damaged("the segment's header is cut short");
  const auto checked = bytes.substr(0, size - kCrcBytes);
  if (WireReader(bytes.substr(checked.size())).U32() != Crc32c(checked)) {
    return Damaged("the segment header's checksum is wrong");
  }
  WireReader reader(checked.substr(kWalSegmentHeadBytes));
  WalSegmentHeader header;
  header.epoch = Epoch(reader.I64());
  header.first = Position(reader.I64());
  header.follows = Position(reader.I64());
  header.tokens = ReadTokens(reader);
  if (!reader.AtEnd() || header.follows >= header.first) {
    return Damaged("the segment's header does not decode");
  }
  return header;
}

void EncodeWalGroupHeader(const WalGroupHeader& header, std::string& out) {
  const std::size_t begin = out.size();
  out.append(kWalGroupMagic);
  PutU32(0, out);
  PutI64(header.epoch.value(), out);
  PutU32(header.frames, out);
  PutU64(header.bytes, out);
  PutI64(header.first.value(), out);
  PutI64(header.durable_through.value(), out);
  SetU32(Crc32c(std::string_view(out).substr(begin + 8)), begin + 4, out);
}

Result<WalGroupHeader> DecodeWalGroupHeader(std::string_view bytes) {
  if (bytes.size() < kWalGroupHeaderBytes) return Damaged("the group's header is cut short");
  WireReader reader(bytes.substr(0, kWalGroupHeaderBytes));
  if (reader.Take(kWalGroupMagic.size()) != kWalGroupMagic) return Damaged("no group begins here");
  if (const std::uint32_t crc = reader.U32(); crc != Crc32c(reader.rest())) {
    return Damaged("the group header's checksum is wrong");
  }
  WalGroupHeader header;
  header.epoch = Epoch(reader.I64());
  header.frames = reader.U32();
  header.bytes = reader.U64();
  header.first = Position(reader.I64());
  header.durable_through = Position(reader.I64());
  return header;
}

std::string WalSegmentName(Position first) {
  return fmt::format("{:020}{}", first.value(), kSuffix);
}

std::optional<Position> ParseWalSegmentName(std::string_view name) {
  if (name.size() != kNameDigits + kSuffix.size() || !name.ends_with(kSuffix)) return std::nullopt;
  const std::string_view digits = name.substr(0, kNameDigits);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.end() || value <= 0) return std::nullopt;
  return Position(value);
}

std::string EncodeEpochFile(Epoch epoch) { return fmt::format("{:016x}\n", epoch.value()); }

Result<Epoch> DecodeEpochFile(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  // Whole when the same would be written: sixteen digits and the line feed.
  if (error != std::errc() || value <= 0 || EncodeEpochFile(Epoch(value)) != text) {
    return Damaged(fmt::format("\"{}\" is no epoch: 16 hex digits and a line feed", text));
  }
  return Epoch(value);
}

}  // namespace tidemark::format

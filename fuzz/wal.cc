// format: the write-ahead log. Checksums are made right first, so that what lies behind them is
// reached.

#include <string>
#include <string_view>

#include "base/check.h"
#include "base/crc32c.h"
#include "base/wire.h"
#include "format/source_token.h"
#include "format/wal_frame.h"
#include "format/wal_segment.h"

namespace tidemark::fuzz {

namespace {

void ReadFrame(std::string_view body) {
  std::string frame;
  PutU32(static_cast<std::uint32_t>(body.size()), frame);
  PutU32(Crc32c(body), frame);
  frame.append(body);
  const auto record = format::DecodeFrame(frame);
  if (!record) return;
  std::string again;
  format::EncodeFrame(*record, again);
  TIDEMARK_CHECK(again == frame && format::FrameBytes(*record) == frame.size(), "frame");
  format::TokenTable tokens;
  format::PlaceToken(*record, tokens);
  const auto token = format::DecodeSourceToken(record->token);
  TIDEMARK_CHECK(token.stream.size() + token.place.size() <= record->token.size(), "token");
}

void ReadSegmentHeader(std::string_view body) {
  std::string header = "TDMKWAL1";
  PutU32(static_cast<std::uint32_t>(header.size() + 4 + body.size() + 4), header);
  header.append(body);
  PutU32(Crc32c(header), header);
  const auto decoded = format::DecodeWalSegmentHeader(header);
  if (!decoded) return;
  // Tokens may have stood in any order.
  const std::string again = format::EncodeWalSegmentHeader(*decoded);
  TIDEMARK_CHECK(format::DecodeWalSegmentHeader(again).value() == *decoded, "segment");
}

void ReadGroupHeader(std::string_view body) {
  std::string header(format::kWalGroupMagic);
  const std::size_t rest = format::kWalGroupHeaderBytes - header.size() - 4;
  PutU32(Crc32c(body.substr(0, rest)), header);
  header.append(body.substr(0, rest));
  const auto decoded = format::DecodeWalGroupHeader(header);
  if (!decoded) return;
  std::string again;
  format::EncodeWalGroupHeader(*decoded, again);
  TIDEMARK_CHECK(again == header, "group");
}

}  // namespace

void Wal(std::string_view bytes) {
  // As they are: cut short, a wrong length, a wrong checksum.
  IgnoreError(format::DecodeFrame(bytes), "nothing to compare with");
  IgnoreError(format::DecodeFrame(bytes, format::FrameChecksum::kTrust), "nothing to compare with");
  IgnoreError(format::DecodeWalSegmentHeader(bytes), "nothing to compare with");
  IgnoreError(format::DecodeWalGroupHeader(bytes), "nothing to compare with");
  ReadFrame(bytes);
  ReadSegmentHeader(bytes);
  ReadGroupHeader(bytes);
}

}  // namespace tidemark::fuzz

// format: documents in JSON: manifest, checkpoint, pointers, lease, cursor. What is read and
// written again reads the same.

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "base/check.h"
#include "base/compress.h"
#include "base/crc32c.h"
#include "format/checkpoint.h"
#include "format/kv_documents.h"
#include "format/manifest.h"
#include "format/presence.h"
#include "format/sink_cursor.h"
#include "format/wal_segment.h"

namespace tidemark::fuzz {

namespace {

template <typename Decode, typename Encode>
void ReadTwice(std::string_view bytes, Decode decode, Encode encode) {
  const auto value = decode(bytes);
  if (!value) return;
  const std::string text = encode(*value);
  const auto again = decode(text);
  TIDEMARK_CHECK(again.has_value(), "{}: {}", text, again.error().message);
  // Times of manifests are written in whole milliseconds.
  TIDEMARK_CHECK(encode(*again) == text, "{}", text);
}

Result<format::Intent> DecodeIntent(std::string_view text) {
  return format::DecodeIntent(text, format::Form());
}

}  // namespace

void Documents(std::string_view bytes) {
  ReadTwice(bytes, format::DecodeManifest, format::EncodeManifest);
  ReadTwice(bytes, format::DecodeComplete, format::EncodeComplete);
  ReadTwice(bytes, DecodeIntent, format::EncodeIntent);
  ReadTwice(bytes, format::DecodeCommitted, format::EncodeCommitted);
  ReadTwice(bytes, format::DecodeLease, format::EncodeLease);
  ReadTwice(bytes, format::DecodePresence, format::EncodePresence);
  ReadTwice(bytes, format::DecodeLostRanges, format::EncodeLostRanges);
  ReadTwice(bytes, format::DecodeEpochFile, format::EncodeEpochFile);
  ReadTwice(bytes, format::DecodeCheckpoint, format::EncodeCheckpoint);
  ReadTwice(ZstdCompress(bytes), format::DecodeCheckpoint, format::EncodeCheckpoint);
  const std::string cursor = fmt::format("{:08x} {}\n", Crc32c(bytes), bytes);
  ReadTwice(cursor, format::DecodeCursor, format::EncodeCursor);
}

}  // namespace tidemark::fuzz

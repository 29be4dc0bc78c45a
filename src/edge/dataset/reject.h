#pragma once
// Why a data set does not take a record: the reasons that quarantine and metrics know
// (docs/pipeline.md), each with a sentence of detail.

#include <string>
#include <string_view>

namespace tidemark::edge {

namespace reason {
inline constexpr std::string_view kJson = "decode.json";
inline constexpr std::string_view kUtf8 = "decode.utf8";
inline constexpr std::string_view kDepth = "decode.depth";
inline constexpr std::string_view kDuplicateKey = "decode.duplicate_key";
inline constexpr std::string_view kType = "schema.type";
inline constexpr std::string_view kNarrowing = "schema.narrowing";
inline constexpr std::string_view kMissing = "schema.missing";
inline constexpr std::string_view kUnknown = "schema.unknown";
inline constexpr std::string_view kSize = "size";
inline constexpr std::string_view kUnmatched = "unmatched";
inline constexpr std::string_view kUnmatchedDropped = "unmatched.dropped";  // counted, not kept
inline constexpr std::string_view kWalDamaged = "wal.damaged";
}  // namespace reason

struct Reject {
  std::string_view reason;  // one of the constants above
  std::string detail;
};

// The beginning of a value for a detail, cut between characters.
inline std::string_view Shown(std::string_view text) {
  constexpr std::size_t kBytesMax = 60;
  const auto continues = [](char byte) { return (static_cast<unsigned char>(byte) >> 6) == 2; };
  if (text.size() <= kBytesMax) return text;
  std::size_t end = kBytesMax;
  while (end > 0 && continues(text[end])) --end;
  return text.substr(0, end);
}

}  // namespace tidemark::edge

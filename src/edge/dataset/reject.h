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

}  // namespace tidemark::edge

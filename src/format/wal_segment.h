#pragma once
// What stands around the frames of the write-ahead log: file names, the segment's header, the
// group's header. Pure; docs/formats/wal.md, byte-level tests in wal_segment_test.cc.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "base/strong_int.h"
#include "format/wal_record.h"

namespace tidemark::format {

// The latest place of each stream, by (source, stream).
using TokenTable = std::map<std::pair<std::string, std::string>, std::string>;

// Takes in the record's token, if it has one.
void PlaceToken(const WalRecord& record, TokenTable& tokens);

struct WalSegmentHeader {
  Epoch epoch;
  Position first;     // of the first frame that the segment may hold
  Position follows;   // the last position before it; less than first - 1 when positions are missing
  TokenTable tokens;  // as of `follows`

  bool operator==(const WalSegmentHeader&) const = default;
};

// Everything below `first` was durable before the header was written.
std::string EncodeWalSegmentHeader(const WalSegmentHeader& header);

// Magic and the size of the whole header.
inline constexpr std::size_t kWalSegmentHeadBytes = 12;
// What a reader accepts as such a size: above it, the bytes are damaged.
inline constexpr std::uint32_t kWalSegmentHeaderBytesMax = 256U << 20;

// Size of the whole header that begins with `head`. kCorruption: no segment of this version.
Result<std::size_t> WalSegmentHeaderBytes(std::string_view head);

// `bytes`: the whole header. kCorruption: cut short, wrong checksum, does not decode.
Result<WalSegmentHeader> DecodeWalSegmentHeader(std::string_view bytes);

// Frames that became durable together. Without frames (a mark) it only says how far the log is
// durable.
struct WalGroupHeader {
  Epoch epoch;
  std::uint32_t frames = 0;
  std::uint64_t bytes = 0;   // of all frames
  Position first;            // of the first frame; of the next one to come when there is none
  Position durable_through;  // the highest position known to be on disk when this was written

  bool operator==(const WalGroupHeader&) const = default;
};

inline constexpr std::size_t kWalGroupHeaderBytes = 44;
inline constexpr std::string_view kWalGroupMagic = "TGRP";

// Appends kWalGroupHeaderBytes.
void EncodeWalGroupHeader(const WalGroupHeader& header, std::string& out);

// `bytes` begins with the header. kCorruption: cut short, no group, wrong checksum.
Result<WalGroupHeader> DecodeWalGroupHeader(std::string_view bytes);

// `<first, 20 digits>.wal`
std::string WalSegmentName(Position first);

// The first position; nullopt for any other name.
std::optional<Position> ParseWalSegmentName(std::string_view name);

// The file `epoch`: 16 lower-case hex digits and a line feed.
std::string EncodeEpochFile(Epoch epoch);
Result<Epoch> DecodeEpochFile(std::string_view text);

}  // namespace tidemark::format

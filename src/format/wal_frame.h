#pragma once
// One record in a segment of the write-ahead log. Pure; docs/formats/wal.md, byte-level tests in
// wal_frame_test.cc.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "format/wal_record.h"

namespace tidemark::format {

// Length and checksum, in front of every frame.
inline constexpr std::size_t kFrameHeadBytes = 8;

// A frame with empty texts: head, flags, position, time and four lengths.
inline constexpr std::size_t kLeastFrameBytes = kFrameHeadBytes + 1 + 8 + 8 + 4;

// What EncodeFrame would append.
std::size_t FrameBytes(const WalRecord& record);

// Appends the frame of `record`.
void EncodeFrame(const WalRecord& record, std::string& out);

// Size of the whole frame that begins with `head` (kFrameHeadBytes of it at least); nothing is
// checked yet.
std::uint64_t FrameBytesOf(std::string_view head);

enum class FrameChecksum {
  kCompare,
  kTrust,  // of a frame that never left this process
};

// The record of `frame`, which is one whole frame; its texts are views into it. kCorruption: cut
// short, wrong checksum, an unknown flag, lengths that do not fill the frame.
Result<WalRecord> DecodeFrame(std::string_view frame,
                              FrameChecksum checksum = FrameChecksum::kCompare);

}  // namespace tidemark::format

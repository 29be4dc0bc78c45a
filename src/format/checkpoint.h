#pragma once
// The checkpoint: for each tracked partition, where window k+1 starts reading. A cache, never the
// commit truth (contract: "The checkpoint"; queen-interface 6.2). Pure; docs/formats/checkpoint.md.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/window.h"

namespace tidemark::format {

struct Checkpoint {
  WindowNumber k;
  Micros t_end;

  struct Position {
    std::string partition;
    Offset next;
    bool operator==(const Position&) const = default;
  };

  std::vector<Position> positions;

  bool operator==(const Checkpoint&) const = default;
};

// Decoded text above this is refused.
inline constexpr std::uint64_t kCheckpointTextBytesMax = std::uint64_t{512} << 20;

// One zstd frame (level 3) of compact JSON. Positions are sorted by name bytes first: the same map,
// the same bytes.
std::string EncodeCheckpoint(Checkpoint checkpoint);

// kCorruption for anything EncodeCheckpoint does not produce, but for unknown fields and the order
// of positions, which come back sorted.
Result<Checkpoint> DecodeCheckpoint(std::string_view bytes);

}  // namespace tidemark::format
